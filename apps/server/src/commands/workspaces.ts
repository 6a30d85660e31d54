import { createWorkspace, deleteWorkspace, type Resources, updateWorkspace } from '@postshelf/application';
import { parseUuid, type Uuid, type Workspace, type WorkspaceContents } from '@postshelf/domain';
import { Command, Option } from 'commander';
import { composeForReading } from '../compose/read-only.ts';
import { count } from './progress.ts';
import {
  appendValue,
  CommandError,
  print,
  recordCommand,
  requireChange,
  showTime,
  table,
  withComposition,
} from './run.ts';

interface CreateOptions {
  readonly name: string;
  readonly timezone: string;
  readonly systemFolder: readonly string[];
  readonly stripLocation?: keyof typeof CHOICES;
  readonly json?: boolean;
}

interface UpdateOptions {
  readonly name?: string;
  readonly timezone?: string;
  readonly stripLocation?: keyof typeof CHOICES;
  readonly json?: boolean;
}

const CHOICES = { on: true, off: false, default: null } as const;

/** The option without a value means `on`. */
const stripLocationOption = (): Option =>
  new Option('--strip-location [choice]', 'remove GPS coordinates from new files; default: the value of STRIP_LOCATION')
    .choices(Object.keys(CHOICES))
    .preset('on');

interface DeleteOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

export function workspaceCommand(): Command {
  const workspace = new Command('workspace').description('create, list, change and delete workspaces');
  workspace
    .command('create')
    .description('create a workspace')
    .requiredOption('--name <name>', 'the display name')
    .option('--timezone <zone>', 'IANA time zone, such as Europe/Berlin', 'UTC')
    .option('--system-folder <name>', 'a folder that users cannot rename, move or delete; repeatable', appendValue, [])
    .addOption(stripLocationOption())
    .option('--json', 'print one JSON object')
    .action(({ name, timezone, systemFolder, stripLocation = 'default', json }: CreateOptions) =>
      withComposition(async ({ ports }) => {
        const details = { systemFolders: systemFolder, stripLocation: CHOICES[stripLocation] };
        const made = await createWorkspace(ports, { name, timezone, ...details });
        const { id } = made;
        await recordCommand(ports, 'workspaces.create', { subjectId: id, workspaceId: id });
        print(json, { id, name: made.name, timezone, strip_location: made.stripLocation }, [
          `Made workspace ${made.name} (${timezone}): ${id}`,
        ]);
      }),
    );
  workspace
    .command('list')
    .description('list all workspaces')
    .option('--json', 'print one JSON object')
    .action(({ json }: { json?: boolean }) =>
      withComposition(async ({ ports }) => {
        const all = await ports.workspaces.list();
        const rows = all.map(({ id, name, timezone, createdAt }) => [id, name, timezone, showTime(createdAt) ?? '']);
        print(json, { data: all.map(show) }, table(['ID', 'NAME', 'TIME ZONE', 'CREATED'], rows));
      }, composeForReading),
    );
  workspace
    .command('update')
    .description('change the name or the settings of a workspace')
    .argument('<id>', 'as shown by workspace list')
    .option('--name <name>', 'the display name')
    .option('--timezone <zone>', 'IANA time zone, such as Europe/Berlin')
    .addOption(stripLocationOption())
    .option('--json', 'print one JSON object')
    .action((id: string, { name, timezone, stripLocation, json }: UpdateOptions) => {
      const given = {
        ...(name !== undefined && { name }),
        ...(timezone !== undefined && { timezone }),
        ...(stripLocation !== undefined && { stripLocation: CHOICES[stripLocation] }),
      };
      const change = requireChange(given, 'name', 'timezone', 'strip-location');
      return withComposition(async ({ ports }) => {
        const changed = await updateWorkspace(ports, readId('workspace', id), change);
        if (!changed) throw unknownId('workspace', id);
        await recordCommand(ports, 'workspaces.update', { subjectId: changed.id, workspaceId: changed.id });
        print(json, show(changed), [`Workspace ${changed.id} is ${changed.name} (${changed.timezone}).`]);
      });
    });
  workspace
    .command('delete')
    .description('delete a workspace and everything in it, permanently; the service may be running')
    .argument('<id>', 'as shown by workspace list')
    .option('--yes', 'delete it; without this option only what would be deleted is shown')
    .option('--json', 'print one JSON object')
    .action((id: string, options: DeleteOptions) =>
      withComposition(({ ports }) => remove(ports, readId('workspace', id), options)),
    );
  return workspace;
}

async function remove(ports: Resources, id: Uuid, { yes = false, json }: DeleteOptions): Promise<void> {
  const found = await ports.workspaces.find(id);
  // After a deletion that was killed the workspace isn't found, but the deletion has to be finished.
  if (!found && !(await ports.workspaces.pendingRemovals()).includes(id)) throw unknownId('workspace', id);
  const holdings = await ports.workspaces.contents(id);
  const name = found?.name ?? 'half deleted';
  if (!yes) {
    throw new CommandError(`Workspace ${id} (${name}) holds ${describe(holdings)}: add --yes to delete all of it.`, {
      id,
      holds: showHoldings(holdings),
    });
  }
  const leftOver: string[] = [];
  await recordCommand(ports, 'workspaces.delete', { subjectId: id, workspaceId: id });
  await deleteWorkspace(ports, id, { onLeftOver: (fullName) => leftOver.push(fullName) });
  const removed = await ports.workspaces.removed(id);
  print(json, { id, deleted: showHoldings(holdings), removed, left_over: leftOver }, [
    `Deleted workspace ${id} (${name}): ${describe(holdings)}.`,
    ...(leftOver.length > 0 ? [`${count(leftOver.length)} objects could not be removed; gc tries again.`] : []),
  ]);
}

const show = ({ stripLocation, createdAt, ...rest }: Workspace) => ({
  ...rest,
  strip_location: stripLocation,
  created_at: showTime(createdAt),
});

const showHoldings = ({ bytes, ...counts }: WorkspaceContents) => ({ ...counts, bytes });

const describe = ({ media, bytes, folders, profiles, posts, tokens }: WorkspaceContents): string =>
  `${count(media)} media items (${count(bytes)} bytes), ${count(folders)} folders, ${count(profiles)} profiles, ` +
  `${count(posts)} posts and the access of ${count(tokens)} tokens`;

/** @throws CommandError for an invalid id, with the message for an unknown one */
export function readId(kind: string, text: string): Uuid {
  const id = parseUuid(text);
  if (!id) throw unknownId(kind, text);
  return id;
}

export const unknownId = (kind: string, id: string): CommandError => new CommandError(`There is no ${kind} ${id}.`);
