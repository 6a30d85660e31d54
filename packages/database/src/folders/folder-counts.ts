import type { FolderCounts, Uuid } from '@postshelf/domain';
import { countOfFew } from '../store/count.ts';
import type { Queries, Scan } from '../store/store.ts';

type Counts = readonly (readonly [Uuid, FolderCounts])[];

/** What is directly in each of the folders of a workspace. Media are counted as they come and go; subfolders one by one. */
export const countInFolders: Scan<[Uuid, readonly Uuid[]], Counts> = {
  name: 'countInFolders',
  run: ({ snapshot }, workspaceId, ids) => snapshot((queries) => countIn(queries, workspaceId, ids)),
};

/** The same beside other work, where it is sure not to take long; null where it isn't. */
export async function countInFewFolders(
  queries: Queries,
  workspaceId: Uuid,
  ids: readonly Uuid[],
): Promise<Counts | null> {
  if (ids.length === 0) return [];
  const isLong = (await countOfFew(queries, foldersIn(queries, workspaceId, ids))) === null;
  return isLong ? null : countIn(queries, workspaceId, ids);
}

async function countIn(queries: Queries, workspaceId: Uuid, ids: readonly Uuid[]): Promise<Counts> {
  const media = await queries
    .selectFrom('media_counts')
    .select((eb) => ['folder_id', eb.fn.sum('items').as('items')])
    .where('workspace_id', '=', workspaceId)
    .where('folder_id', 'in', ids)
    .groupBy('folder_id')
    .execute();
  const folders = await foldersIn(queries, workspaceId, ids)
    .select((eb) => ['parent_id', eb.fn.countAll().as('items')])
    .groupBy('parent_id')
    .execute();
  const mediaOf = new Map(media.map((row) => [row.folder_id, Number(row.items)]));
  const foldersOf = new Map(folders.map((row) => [row.parent_id, Number(row.items)]));
  return ids.map((id) => [id, { media: mediaOf.get(id) ?? 0, folders: foldersOf.get(id) ?? 0 }]);
}

const foldersIn = (queries: Queries, workspaceId: Uuid, ids: readonly Uuid[]) =>
  queries.selectFrom('folders').where('workspace_id', '=', workspaceId).where('parent_id', 'in', ids);
