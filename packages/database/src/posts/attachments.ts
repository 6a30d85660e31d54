import { type AttachmentRefusal, type MediaItem, type Post, refuseAttachment, type Uuid } from '@postshelf/domain';
import { mediaFromRow } from '../media/media-rows.ts';
import { blocksOf } from '../store/blocks.ts';
import type { Queries } from '../store/dialect.ts';

/**
 * Returns the reasons why media can't be attached to a post, by their index in the post. Media in `shown`, which the
 * post already has, are never refused.
 */
export type RefuseMedia = (post: Post, shown: readonly Uuid[]) => ReadonlyMap<number, AttachmentRefusal>;

/** Locks media until the transaction ends. Returns the function that checks whether posts may attach them. */
export async function attachmentsAmong(queries: Queries, ids: Iterable<Uuid>): Promise<RefuseMedia> {
  const media = new Map<Uuid, MediaItem>();
  for (const block of blocksOf([...new Set(ids)].sort())) {
    const rows = await queries
      .selectFrom('media')
      .selectAll()
      .where('id', 'in', block)
      .orderBy('id')
      .forShare()
      .execute();
    for (const row of rows) media.set(row.id, mediaFromRow(row));
  }
  return ({ workspaceId, mediaIds }, shown) => {
    const refusals = new Map<number, AttachmentRefusal>();
    for (const [index, id] of mediaIds.entries()) {
      const refusal = shown.includes(id) ? null : refuseAttachment(media.get(id), workspaceId);
      if (refusal) refusals.set(index, refusal);
    }
    return refusals;
  };
}
