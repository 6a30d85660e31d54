import {
  type ExpectedVersions,
  FIRST_VERSION,
  FOLDER_REFUSALS,
  type Folder,
  type FolderChange,
  type FolderCounts,
  type FolderFilter,
  type FolderRefusal,
  invalid,
  notFound,
  type PageRequest,
  parseUuid,
  type Refusal,
  type Rows,
  sliceOf,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import type { Completing } from '../idempotency/answer-once.ts';
import type { Ports, Shared } from '../ports.ts';
import { type Caller, requireAccess } from '../tokens/permissions.ts';
import { requireFolder } from './check-references.ts';

/** Creates a folder. @throws Refusal `invalid` on `name` or `parent_id` */
export async function createFolder(
  ports: Pick<Ports, 'folders' | 'clock' | 'ids'>,
  workspace: Workspace,
  details: { readonly name: string; readonly parentId: Uuid | null },
  complete?: Completing<Folder>,
): Promise<Folder> {
  const now = ports.clock.now();
  const folder: Folder = {
    id: ports.ids.next(),
    workspaceId: workspace.id,
    ...details,
    isSystem: false,
    version: FIRST_VERSION,
    createdAt: now,
    updatedAt: now,
  };
  const refusal = await ports.folders.insert(folder, complete?.(folder));
  if (refusal) throw folderRefused(refusal);
  return folder;
}

/** Finds the folder that a path names. @throws Refusal `not_found` if the id is malformed, unknown or inaccessible */
export async function findFolder(ports: Pick<Ports, 'folders'>, caller: Caller, id: string): Promise<Folder> {
  const uuid = parseUuid(id);
  return requireAccess(caller, uuid && (await ports.folders.find(uuid)));
}

/**
 * Lists folders, most recently updated first.
 *
 * @throws Refusal `invalid` if the filter's parent isn't a folder of the workspace
 */
export async function listFolders(
  ports: Pick<Ports, 'folders'>,
  workspace: Workspace,
  filter: FolderFilter,
  page: PageRequest,
  signal?: AbortSignal,
): Promise<Rows<Folder>> {
  await requireFolder(ports, workspace, 'parent_id', filter.parentId);
  return ports.folders.list(workspace.id, filter, sliceOf(page), signal);
}

export const countInFolders = (
  ports: Pick<Ports, 'folders'>,
  workspace: Workspace,
  folders: readonly Folder[],
): Promise<ReadonlyMap<Uuid, FolderCounts>> =>
  ports.folders.countsOf(
    workspace.id,
    folders.map(({ id }) => id),
  );

/**
 * Renames or moves a folder; absent fields stay unchanged. A move reads the folder's whole tree and locks the
 * workspace, so it takes a slot first. Otherwise waiting moves would keep other requests from the database.
 *
 * @throws Refusal `not_found` if it was deleted meanwhile, `changed`, `invalid` on `name`, `parent_id` or `folder`;
 *   also a refusal if the signal is aborted
 */
export async function updateFolder(
  ports: Pick<Ports, 'folders' | 'clock'> & Pick<Shared, 'shares'>,
  folder: Folder,
  change: FolderChange,
  signal: AbortSignal,
  expected?: ExpectedVersions,
): Promise<Folder> {
  const isMove = change.parentId !== undefined && change.parentId !== folder.parentId;
  const releaseSlot = isMove ? await ports.shares.take('writes', folder.workspaceId, signal) : null;
  const updated = await ports.folders
    .update(folder.id, change, ports.clock.now(), expected)
    .finally(() => releaseSlot?.());
  if (updated === null) throw notFound();
  if (typeof updated === 'string') throw folderRefused(updated);
  return updated;
}

/**
 * Deletes an empty folder.
 *
 * @throws Refusal `not_found` if it was deleted meanwhile, `changed`, `invalid` on `folder` unless it is empty and not
 *   a system folder
 */
export async function deleteFolder(
  ports: Pick<Ports, 'folders'>,
  folder: Folder,
  expected?: ExpectedVersions,
): Promise<void> {
  const answer = await ports.folders.delete(folder.id, expected);
  if (answer === null) throw notFound();
  if (answer !== 'deleted') throw folderRefused(answer);
}

function folderRefused(why: FolderRefusal): Refusal {
  const { field, sentence } = FOLDER_REFUSALS[why];
  return invalid(field, sentence);
}
