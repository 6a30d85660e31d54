import {
  type Folder,
  type FolderCounts,
  type FolderRepository,
  refuseChange,
  refuseRemoval,
  requireVersion,
  type Uuid,
} from '@postshelf/domain';
import { completeWithin } from '../idempotency/complete.ts';
import type { Dialect, Queries } from '../store/dialect.ts';
import { insertInWorkspace } from '../store/row-locks.ts';
import { GIVEN, type Store } from '../store/store.ts';
import { listFewFolders, listFolders } from './folder-list.ts';
import { folderFromRow, folderToRow } from './folder-rows.ts';
import { refuseParentOf, refusePlacement } from './folder-tree.ts';

/** Stores folders. Changes are made under a lock on the workspace's folder tree, so that no race breaks its rules. */
export function folderRepository(store: Store): FolderRepository {
  const { dialect } = store;
  const rowOf = store.lookup((queries) => queries.selectFrom('folders').selectAll().where('id', '=', GIVEN));

  return {
    insert: (folder, completion) =>
      store.write(async (transaction) => {
        await dialect.lock(transaction, 'folders', [folder.workspaceId]);
        const refusal = await refusePlacement(transaction, dialect, folder, null);
        if (refusal !== null) return refusal;
        await insertInWorkspace(transaction.insertInto('folders').values(folderToRow(folder)).execute());
        if (completion) await completeWithin(transaction, completion);
        return null;
      }),

    async find(id) {
      const [row] = await rowOf(id);
      return row ? folderFromRow(row) : null;
    },

    list: async (workspaceId, filter, slice, signal) =>
      (await listFewFolders(store, workspaceId, filter, slice)) ??
      store.scan(listFolders, { workspaceId, signal }, workspaceId, filter, slice),

    countsOf: (workspaceId, ids) => store.read((snapshot) => countInFolders(snapshot, workspaceId, ids)),

    refuseParent: (workspaceId, folder, parentId) =>
      store.read((snapshot) => refuseParentOf(snapshot, workspaceId, folder, parentId, 1)),

    update: (id, change, now, expected) =>
      store.write(async (transaction) => {
        const folder = await lockFolder(transaction, dialect, id);
        if (folder === null) return null;
        requireVersion(folder.version, expected);
        const changed: Folder = { ...folder, ...change, version: folder.version + 1, updatedAt: now };
        const refusal = refuseChange(folder) ?? (await refusePlacement(transaction, dialect, changed, folder));
        if (refusal !== null) return refusal;
        await transaction.updateTable('folders').set(folderToRow(changed)).where('id', '=', id).execute();
        return changed;
      }),

    delete: (id, expected) =>
      store.write(async (transaction) => {
        const folder = await lockFolder(transaction, dialect, id);
        if (folder === null) return null;
        requireVersion(folder.version, expected);
        const refusal = refuseRemoval(folder, await isInUse(transaction, folder));
        if (refusal !== null) return refusal;
        await transaction.deleteFrom('folders').where('id', '=', id).execute();
        return 'deleted';
      }),
  };
}

async function findFolder(queries: Queries, id: Uuid): Promise<Folder | null> {
  const row = await queries.selectFrom('folders').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? folderFromRow(row) : null;
}

/**
 * Locks the workspace's folder tree. Also locks the folder's row, because media are added to a folder without locking
 * the tree. Returns null if there is no such folder.
 */
async function lockFolder(queries: Queries, dialect: Dialect, id: Uuid): Promise<Folder | null> {
  const found = await findFolder(queries, id);
  if (found === null) return null;
  await dialect.lock(queries, 'folders', [found.workspaceId]);
  const row = await queries.selectFrom('folders').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  return row ? folderFromRow(row) : null;
}

async function isInUse(queries: Queries, { id, workspaceId }: Folder): Promise<boolean> {
  const child = await queries
    .selectFrom('folders')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('parent_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  if (child) return true;
  const item = await queries
    .selectFrom('media')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('folder_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  return item !== undefined;
}

/**
 * Returns the numbers of media (without covers) and of folders directly within each folder. Triggers keep these numbers
 * up to date.
 */
async function countInFolders(
  queries: Queries,
  workspaceId: Uuid,
  ids: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, FolderCounts>> {
  if (ids.length === 0) return new Map();
  const media = await queries
    .selectFrom('media_counts')
    .select((eb) => ['folder_id', eb.fn.sum('items').as('items')])
    .where('workspace_id', '=', workspaceId)
    .where('folder_id', 'in', ids)
    .groupBy('folder_id')
    .execute();
  const folders = await queries
    .selectFrom('folder_counts')
    .select(['parent_id', 'folders'])
    .where('workspace_id', '=', workspaceId)
    .where('parent_id', 'in', ids)
    .execute();
  const mediaOf = new Map(media.map((row) => [row.folder_id, Number(row.items)]));
  const foldersOf = new Map(folders.map((row) => [row.parent_id, Number(row.folders)]));
  return new Map(ids.map((id) => [id, { media: mediaOf.get(id) ?? 0, folders: foldersOf.get(id) ?? 0 }]));
}
