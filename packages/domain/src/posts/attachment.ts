import type { Uuid } from '../ids.ts';
import type { MediaItem } from '../media/item.ts';
import { isCover, isUsable } from '../media/item.ts';

export const ATTACHMENT_REFUSALS = {
  unknown: 'The selected media item is invalid.',
  processing: 'The media item is still processing.',
  temporary: 'The media item has not been uploaded yet.',
  failed: 'The media item has failed.',
  cover: 'The media item is the cover of a video.',
} as const;

export type AttachmentRefusal = keyof typeof ATTACHMENT_REFUSALS;

/** Returns why a post can't have the item; null for `active` items of the workspace that aren't covers. */
export function refuseAttachment(item: MediaItem | undefined, workspaceId: Uuid): AttachmentRefusal | null {
  if (item?.workspaceId !== workspaceId) return 'unknown';
  if (isCover(item)) return 'cover';
  return isUsable(item) ? null : item.status;
}
