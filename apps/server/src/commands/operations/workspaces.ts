import { deleteWorkspace, type Resources } from '@postshelf/application';
import { parseUuid, type Uuid, type WorkspaceContents } from '@postshelf/domain';
import { Command } from 'commander';
import { print } from '../print.ts';
import { count } from '../progress.ts';
import { CommandError, readId, recordCommand, unknownId, withComposition } from '../run.ts';
import type { Column, Resource } from './output.ts';

/** Returns the usage of a workspace for the list; nothing if the workspace was deleted in the meantime. */
export async function usageOf({ workspaces }: Resources, { id }: Resource): Promise<Resource> {
  const uuid = parseUuid(String(id));
  const usage = uuid && (await workspaces.usage(uuid));
  if (!usage) return {};
  const { bytes, items, trashBytes, trashItems } = usage;
  return { bytes, items, trash_bytes: trashBytes, trash_items: trashItems };
}

export const workspaceColumns: readonly Column[] = [
  'id',
  'name',
  ['TIME ZONE', ({ timezone }) => String(timezone)],
  'created_at',
  ['BYTES', ({ bytes, max_bytes }) => ofMost(bytes, max_bytes)],
  ['ITEMS', ({ items, max_items }) => ofMost(items, max_items)],
];

const ofMost = (used: unknown, max: unknown): string =>
  used === undefined ? '' : max === null ? count(Number(used)) : `${count(Number(used))} of ${count(Number(max))}`;

interface DeleteOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

/**
 * Deletes a workspace completely before it returns; the API's operation leaves most of the work to a job. Without
 * `--yes`, it only says what would be deleted.
 */
export const deleteWorkspaceCommand = (): Command =>
  new Command('delete')
    .description('delete a workspace and everything in it, permanently; the service may be running')
    .argument('<id>', 'as shown by workspace list')
    .option('--yes', 'delete it; without this option only what would be deleted is shown')
    .option('--json', 'print one JSON object')
    .action((id: string, options: DeleteOptions) =>
      withComposition(({ ports }) => remove(ports, readId('workspace', id), options)),
    );

async function remove(ports: Resources, id: Uuid, { yes = false, json }: DeleteOptions): Promise<void> {
  const found = await ports.workspaces.find(id);
  // If an earlier deletion was killed, the workspace isn't found, but its deletion has to be completed.
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

const showHoldings = ({ bytes, trashBytes, ...counts }: WorkspaceContents) => ({
  ...counts,
  bytes,
  trash_bytes: trashBytes,
});

const describe = ({ media, bytes, trash, trashBytes, folders, profiles, posts, tokens }: WorkspaceContents): string =>
  `${count(media, 'media item')} (${count(bytes, 'byte')}), ${count(trash)} in the trash (${count(trashBytes, 'byte')}), ` +
  `${count(folders, 'folder')}, ${count(profiles, 'profile')}, ` +
  `${count(posts, 'post')} and the access of ${count(tokens, 'token')}`;
