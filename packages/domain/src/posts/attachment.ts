import type { Uuid } from '../ids.ts';
import type { MediaItem } from '../media/item.ts';
import { isCover, isUsable } from '../media/item.ts';

/** Why a media item can't be attached to a post, with the sentence of the answer. */
export const ATTACHMENT_REFUSALS = {
  unknown: 'The selected media item is invalid.',
  processing: 'The media item is still processing.',
  temporary: 'The media item has not been uploaded yet.',
  failed: 'The media item has failed.',
  cover: 'The media item is the cover of a video.',
} as const;

export type AttachmentRefusal = keyof typeof ATTACHMENT_REFUSALS;

/**
 * Only `active` items of the post's own workspace can be attached; a cover serves its video alone
 * (docs/api.md, "Posts"). null when it can be attached.
 *
 * @param item the item of the id; undefined when there is none
 */
export function refuseAttachment(item: MediaItem | undefined, workspaceId: Uuid): AttachmentRefusal | null {
  if (item?.workspaceId !== workspaceId) return 'unknown';
  if (isCover(item)) return 'cover';
  return isUsable(item) ? null : item.status;
}
