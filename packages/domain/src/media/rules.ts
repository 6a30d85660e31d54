import type { Folder } from '../folders/folder.ts';
import { isCover, type MediaItem } from './item.ts';

/**
 * Why an item can't be in the folder that it names; null when it can. A folder holds media of its own workspace; a cover
 * goes where its video goes and is in none.
 *
 * @param folder what the item's `folderId` names; null when that is nothing (any more)
 */
export function refuseFolder(item: MediaItem, folder: Pick<Folder, 'workspaceId'> | null): 'folder_missing' | null {
  if (item.folderId === null) return null;
  return folder?.workspaceId === item.workspaceId && !isCover(item) ? null : 'folder_missing';
}
