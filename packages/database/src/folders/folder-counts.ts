import type { FolderCounts, Uuid } from '@postshelf/domain';
import type { Queries } from '../store/dialect.ts';

/**
 * Counts the media (without covers) and folders directly within each folder, from counts that triggers of migration
 * 0005 keep.
 */
export async function countInFolders(
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
