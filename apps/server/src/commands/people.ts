import { invitePerson, listPeople, removePerson } from '@postshelf/application';
import {
  invalid,
  isRole,
  MAX_PEOPLE,
  MAX_PERSON_NAME,
  type Person,
  ROLES,
  readName,
  signInLink,
} from '@postshelf/domain';
import { Command, Option } from 'commander';
import { composeForReading } from '../compose/read-only.ts';
import { readConfig } from '../config/config.ts';
import { print, recordCommand, showTime, table, withComposition } from './run.ts';
import { signing } from './tokens.ts';
import { findWorkspace, readId, unknownId } from './workspaces.ts';

interface InviteOptions {
  readonly workspace: string;
  readonly name: string;
  readonly email?: string;
  readonly role: string;
  readonly json?: boolean;
}

export function peopleCommand(): Command {
  const people = new Command('people').description('list, invite and remove people, who sign in without a token');
  people
    .command('list')
    .description('list the people of a workspace, newest first')
    .requiredOption('--workspace <id>', 'as shown by workspace list')
    .option('--json', 'print one JSON object')
    .action(({ workspace, json }: { workspace: string; json?: boolean }) =>
      withComposition(async ({ ports }) => {
        const found = await findWorkspace(ports, workspace);
        const { items } = await listPeople(ports, found, { page: 1, perPage: MAX_PEOPLE });
        print(json, { data: items.map(show) }, table(HEADS, items.map(describe)));
      }, composeForReading),
    );
  people
    .command('invite')
    .description('invite a person, and print a link that signs a browser in; valid once, for 7 days')
    .requiredOption('--workspace <id>', 'as shown by workspace list')
    .requiredOption('--name <name>', 'shown with what they upload')
    .option('--email <address>', 'for signing in with an OpenID provider; nothing is sent to it')
    .addOption(new Option('--role <role>', 'what they may do').choices(ROLES).makeOptionMandatory())
    .option('--json', 'print one JSON object')
    .action(invite);
  people
    .command('remove')
    .description('remove a person, and end their sessions and link immediately')
    .argument('<id>', 'as shown by people list')
    .option('--json', 'print one JSON object')
    .action((given: string, { json }: { json?: boolean }) =>
      withComposition(async ({ ports }) => {
        const person = await ports.people.find(readId('person', given));
        if (!person) throw unknownId('person', given);
        const { id, workspaceId, name } = person;
        await removePerson(ports, null, id);
        await recordCommand(ports, 'people.delete', { subjectId: id, workspaceId });
        print(json, { id }, [`Removed ${name}.`]);
      }),
    );
  return people;
}

async function invite({ workspace, name, email, role, json }: InviteOptions): Promise<void> {
  const config = readConfig();
  const read = readName(name, MAX_PERSON_NAME);
  if ('problem' in read) throw invalid('name', `The name ${read.problem}`);
  if (!isRole(role)) throw invalid('role', `There is no role ${role}.`);
  await withComposition(async ({ ports }) => {
    const found = await findWorkspace(ports, workspace);
    const { person, code } = await invitePerson(ports, null, found, { name: read.name, email: email ?? null, role });
    const link = signInLink(config.publicUrl, code);
    await recordCommand(ports, 'people.create', { subjectId: person.id, workspaceId: found.id });
    print(json, { ...show(person), invitation: link }, [
      `Invited ${person.name} as ${role}. This link signs a browser in, once, within 7 days:`,
      link,
    ]);
  }, signing);
}

const show = ({ id, name, email, role, status, invitationExpiresAt, createdAt }: Person) => ({
  id,
  name,
  email,
  role,
  status,
  expires_at: showTime(invitationExpiresAt),
  created_at: showTime(createdAt),
});

const HEADS = ['ID', 'NAME', 'E-MAIL', 'ROLE', 'STATUS'];

const describe = ({ id, name, email, role, status }: Person): readonly string[] => [
  id,
  name,
  email ?? '',
  role,
  status,
];
