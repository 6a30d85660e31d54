import {
  createWorkspace,
  deleteWorkspace,
  type Resources,
  rotateLinkKey,
  updateWorkspace,
} from '@postshelf/application';
import {
  isQuota,
  LINK_ACCESS,
  type LinkAccess,
  MAX_QUOTA,
  parseUuid,
  type Uuid,
  type Workspace,
  type WorkspaceContents,
  type WorkspaceUsage,
} from '@postshelf/domain';
import { Command, InvalidArgumentError, Option } from 'commander';
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

interface QuotaOptions {
  readonly maxBytes?: number | 'none';
  readonly maxItems?: number | 'none';
}

interface CreateOptions extends QuotaOptions {
  readonly name: string;
  readonly timezone: string;
  readonly systemFolder: readonly string[];
  readonly stripLocation?: keyof typeof CHOICES;
  readonly links?: LinkAccess;
  readonly json?: boolean;
}

interface UpdateOptions extends QuotaOptions {
  readonly name?: string;
  readonly timezone?: string;
  readonly stripLocation?: keyof typeof CHOICES;
  readonly links?: LinkAccess;
  readonly json?: boolean;
}

const CHOICES = { on: true, off: false, default: null } as const;

/** Without a value, the option means `on`. */
const stripLocationOption = (): Option =>
  new Option('--strip-location [choice]', 'remove GPS coordinates from new files; default: the value of STRIP_LOCATION')
    .choices(Object.keys(CHOICES))
    .preset('on');

const quotaOption = (name: 'bytes' | 'items', of: string): Option =>
  new Option(`--max-${name} <number>`, `maximum ${of} that it may hold, or none for no limit`).argParser(
    (text: string) => {
      // Commander would turn an empty text into null.
      if (text === 'none') return text;
      const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      if (!isQuota(number)) throw new InvalidArgumentError(`It must be a whole number up to ${MAX_QUOTA}, or none.`);
      return number;
    },
  );
const quotaOf = ({ maxBytes, maxItems }: QuotaOptions) => ({
  ...(maxBytes !== undefined && { maxBytes: maxBytes === 'none' ? null : maxBytes }),
  ...(maxItems !== undefined && { maxItems: maxItems === 'none' ? null : maxItems }),
});
const maxBytesOption = (): Option => quotaOption('bytes', 'bytes of media');
const maxItemsOption = (): Option => quotaOption('items', 'media items');
const linksOption = (): Option =>
  new Option(
    '--links <access>',
    'who gets the files: anyone with a link, or only through signed links that expire',
  ).choices(LINK_ACCESS);

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
    .addOption(maxBytesOption())
    .addOption(maxItemsOption())
    .addOption(linksOption())
    .option('--json', 'print one JSON object')
    .action(
      ({ name, timezone, systemFolder, stripLocation = 'default', links = 'public', json, ...quota }: CreateOptions) =>
        withComposition(async ({ ports }) => {
          const details = { systemFolders: systemFolder, stripLocation: CHOICES[stripLocation], links };
          const made = await createWorkspace(ports, { name, timezone, ...details, ...quotaOf(quota) });
          const { id } = made;
          await recordCommand(ports, 'workspaces.create', { subjectId: id, workspaceId: id });
          const quotas = { max_bytes: made.maxBytes, max_items: made.maxItems };
          print(json, { id, name: made.name, timezone, strip_location: made.stripLocation, ...quotas, links }, [
            `Created workspace ${made.name} (${timezone}): ${id}`,
          ]);
        }),
    );
  workspace
    .command('list')
    .description('list all workspaces, with what they hold')
    .option('--json', 'print one JSON object')
    .action(({ json }: { json?: boolean }) =>
      withComposition(async ({ ports }) => {
        const data: ReturnType<typeof showUsed>[] = [];
        for (const workspace of await ports.workspaces.list()) {
          const usage = await ports.workspaces.usage(workspace.id);
          // Otherwise it was deleted in the meantime.
          if (usage) data.push(showUsed(workspace, usage));
        }
        const rows = data.map(({ id, name, timezone, created_at, bytes, max_bytes, items, max_items }) => {
          return [id, name, timezone, created_at ?? '', ofMost(bytes, max_bytes), ofMost(items, max_items)];
        });
        print(json, { data }, table(['ID', 'NAME', 'TIME ZONE', 'CREATED', 'BYTES', 'ITEMS'], rows));
      }, composeForReading),
    );
  workspace
    .command('update')
    .alias('change')
    .description('change the name or the settings of a workspace')
    .argument('<id>', 'as shown by workspace list')
    .option('--name <name>', 'the display name')
    .option('--timezone <zone>', 'IANA time zone, such as Europe/Berlin')
    .addOption(stripLocationOption())
    .addOption(maxBytesOption())
    .addOption(maxItemsOption())
    .addOption(linksOption())
    .option('--json', 'print one JSON object')
    .action((id: string, { name, timezone, stripLocation, links, json, ...quota }: UpdateOptions) => {
      const given = {
        ...(name !== undefined && { name }),
        ...(timezone !== undefined && { timezone }),
        ...(stripLocation !== undefined && { stripLocation: CHOICES[stripLocation] }),
        ...quotaOf(quota),
        ...(links !== undefined && { links }),
      };
      const change = requireChange(given, 'name', 'timezone', 'strip-location', 'max-bytes', 'max-items', 'links');
      return withComposition(async ({ ports }) => {
        const changed = await updateWorkspace(ports, readId('workspace', id), change);
        if (!changed) throw unknownId('workspace', id);
        await recordCommand(ports, 'workspaces.update', { subjectId: changed.id, workspaceId: changed.id });
        print(json, show(changed), [`Workspace ${changed.id} is ${changed.name} (${changed.timezone}).`]);
      });
    });
  workspace
    .command('rotate-link-key')
    .description('end all signed links of a workspace')
    .argument('<id>', 'as shown by workspace list')
    .option('--json', 'print one JSON object')
    .action((text: string, { json }: { json?: boolean }) =>
      withComposition(async ({ ports }) => {
        const id = readId('workspace', text);
        if (!(await ports.workspaces.find(id))) throw unknownId('workspace', id);
        await rotateLinkKey(ports, { id });
        await recordCommand(ports, 'links.rotateKey', { subjectId: id, workspaceId: id });
        print(json, { id }, [`All signed links of workspace ${id} have ended.`]);
      }),
    );
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
  // After a deletion that was killed the workspace isn't found, but the deletion has to be completed.
  if (!found && !(await ports.workspaces.pendingRemovals()).includes(id)) throw unknownId('workspace', id);
  const holdings = await ports.workspaces.contents(id);
  const name = found?.name ?? 'half deleted';
  if (!yes) {
    throw new CommandError(`Workspace ${id} (${name}) holds ${describe(holdings)}: pass --yes to delete all of it.`, {
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
    ...(leftOver.length > 0 ? [`${count(leftOver.length, 'object')} could not be removed; gc will try again.`] : []),
  ]);
}

const show = ({ stripLocation, maxBytes, maxItems, linkKey: _, createdAt, ...rest }: Workspace) => ({
  ...rest,
  strip_location: stripLocation,
  max_bytes: maxBytes,
  max_items: maxItems,
  created_at: showTime(createdAt),
});

const showUsed = (workspace: Workspace, { bytes, items, trashBytes, trashItems }: WorkspaceUsage) => ({
  ...show(workspace),
  bytes,
  items,
  trash_bytes: trashBytes,
  trash_items: trashItems,
});

const ofMost = (used: number, most: number | null): string =>
  most === null ? count(used) : `${count(used)} of ${count(most)}`;

const showHoldings = ({ bytes, trashBytes, ...counts }: WorkspaceContents) => ({
  ...counts,
  bytes,
  trash_bytes: trashBytes,
});

const describe = ({ media, bytes, trash, trashBytes, folders, profiles, posts, tokens }: WorkspaceContents): string =>
  `${count(media, 'media item')} (${count(bytes, 'byte')}), ${count(trash)} in the trash (${count(trashBytes, 'byte')}), ` +
  `${count(folders, 'folder')}, ${count(profiles, 'profile')}, ` +
  `${count(posts, 'post')} and the access of ${count(tokens, 'token')}`;

/** Parses an id. @throws CommandError for an invalid id, with the message for an unknown one */
export function readId(kind: string, text: string): Uuid {
  const id = parseUuid(text);
  if (!id) throw unknownId(kind, text);
  return id;
}

export async function findWorkspace({ workspaces }: Pick<Resources, 'workspaces'>, text: string): Promise<Workspace> {
  const workspace = await workspaces.find(readId('workspace', text));
  if (!workspace) throw unknownId('workspace', text);
  return workspace;
}

export const unknownId = (kind: string, id: string): CommandError => new CommandError(`There is no ${kind} ${id}.`);
