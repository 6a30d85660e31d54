import { createProfile, deleteProfile, updateProfile } from '@postshelf/application';
import type { Profile } from '@postshelf/domain';
import { Command } from 'commander';
import { composeForReading } from '../compose/read-only.ts';
import { print, recordCommand, requireChange, showTime, table, withComposition } from './run.ts';
import { findWorkspace, readId, unknownId } from './workspaces.ts';

interface CreateOptions {
  readonly workspace: string;
  readonly name: string;
  readonly network: string;
  readonly json?: boolean;
}

interface UpdateOptions {
  readonly name?: string;
  readonly network?: string;
  readonly json?: boolean;
}

const PAGE = 1000;

export function profileCommand(): Command {
  const profile = new Command('profile').description(
    'create, list, change and delete profiles, whose posts are measured',
  );
  profile
    .command('create')
    .description('create a profile')
    .requiredOption('--workspace <id>', 'the workspace that it belongs to')
    .requiredOption('--name <name>', 'the display name')
    .requiredOption('--network <network>', 'your name for the network, such as instagram')
    .option('--json', 'print one JSON object')
    .action(({ workspace, name, network, json }: CreateOptions) =>
      withComposition(async ({ ports }) => {
        const made = await createProfile(ports, await findWorkspace(ports, workspace), { name, network });
        await recordCommand(ports, 'profiles.create', namesOf(made));
        print(json, show(made), [`Created profile ${made.name} (${made.network}): ${made.id}`]);
      }),
    );
  profile
    .command('list')
    .description('list the profiles of a workspace, most recently changed first')
    .requiredOption('--workspace <id>', 'as shown by workspace list')
    .option('--json', 'print one JSON object')
    .action(({ workspace, json }: { workspace: string; json?: boolean }) =>
      withComposition(async ({ ports }) => {
        const { id } = await findWorkspace(ports, workspace);
        const all: Profile[] = [];
        for (let total = 1; all.length < total; ) {
          const page = await ports.profiles.list(id, { offset: all.length, limit: PAGE });
          all.push(...page.items);
          total = page.items.length === 0 ? 0 : page.total;
        }
        const rows = all.map((one) => [one.id, one.name, one.network, showTime(one.createdAt) ?? '']);
        print(json, { data: all.map(show) }, table(['ID', 'NAME', 'NETWORK', 'CREATED'], rows));
      }, composeForReading),
    );
  profile
    .command('update')
    .description('change the name or the network of a profile')
    .argument('<id>', 'as shown by profile list')
    .option('--name <name>', 'the display name')
    .option('--network <network>', 'your name for the network')
    .option('--json', 'print one JSON object')
    .action((id: string, { name, network, json }: UpdateOptions) => {
      const given = { ...(name !== undefined && { name }), ...(network !== undefined && { network }) };
      const change = requireChange(given, 'name', 'network');
      return withComposition(async ({ ports }) => {
        const changed = await updateProfile(ports, readId('profile', id), change);
        if (!changed) throw unknownId('profile', id);
        await recordCommand(ports, 'profiles.update', namesOf(changed));
        print(json, show(changed), [`Profile ${changed.id} is ${changed.name} (${changed.network}).`]);
      });
    });
  profile
    .command('delete')
    .description('delete a profile')
    .argument('<id>', 'as shown by profile list')
    .option('--with-posts', 'even if it has posts, which are then removed in the background')
    .option('--json', 'print one JSON object')
    .action((id: string, { withPosts, json }: { withPosts?: boolean; json?: boolean }) =>
      withComposition(async ({ ports }) => {
        const uuid = readId('profile', id);
        const found = await ports.profiles.find(uuid);
        if (!found || !(await deleteProfile(ports, uuid, withPosts))) throw unknownId('profile', id);
        await recordCommand(ports, 'profiles.delete', namesOf(found));
        print(json, { id: uuid }, [`Deleted profile ${uuid}.`]);
      }),
    );
  return profile;
}

const namesOf = ({ id, workspaceId }: Profile) => ({ subjectId: id, workspaceId });

const show = ({ id, workspaceId, name, network, createdAt, updatedAt }: Profile) => ({
  id,
  workspace: workspaceId,
  name,
  network,
  created_at: showTime(createdAt),
  updated_at: showTime(updatedAt),
});
