import { isCover, type MediaItem } from '@postshelf/domain';
import type { Queries } from '../store/store.ts';

/**
 * Whether the item's folder is one of its workspace, and stays it until the transaction ends. A cover stands in none, so
 * no folder is right for it.
 */
export async function hasValidFolder(queries: Queries, item: MediaItem): Promise<boolean> {
  if (item.folderId === null) return true;
  if (isCover(item)) return false;
  const folder = await queries
    .selectFrom('folders')
    .select('id')
    .where('workspace_id', '=', item.workspaceId)
    .where('id', '=', item.folderId)
    .forKeyShare()
    .executeTakeFirst();
  return folder !== undefined;
}
