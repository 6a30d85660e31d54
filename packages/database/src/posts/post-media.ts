import type { Post, Uuid } from '@postshelf/domain';
import { blocksOf } from '../repositories/blocks.ts';
import type { Queries } from '../repositories/store.ts';
import type { PostRow } from '../repositories/tables.ts';
import { postFromRow } from './post-rows.ts';

/** What posts show, each in its order; a post without media isn't mentioned. */
async function mediaOfPosts(queries: Queries, postIds: readonly Uuid[]): Promise<ReadonlyMap<Uuid, readonly Uuid[]>> {
  const media = new Map<Uuid, Uuid[]>();
  for (const block of blocksOf(postIds)) {
    const rows = await queries
      .selectFrom('post_media')
      .select(['post_id', 'media_id'])
      .where('post_id', 'in', block)
      .orderBy('post_id')
      .orderBy('position')
      .execute();
    for (const { post_id, media_id } of rows) {
      const ofPost = media.get(post_id) ?? [];
      media.set(post_id, ofPost);
      ofPost.push(media_id);
    }
  }
  return media;
}

/** The posts of rows, with what they show. */
export async function withMedia(queries: Queries, rows: readonly PostRow[]): Promise<Post[]> {
  const media = await mediaOfPosts(
    queries,
    rows.map((row) => row.id),
  );
  return rows.map((row) => postFromRow(row, media.get(row.id) ?? []));
}

/** Takes off all that posts show. */
export async function showNothing(queries: Queries, posts: readonly Pick<Post, 'id'>[]): Promise<void> {
  const ids = posts.map((post) => post.id);
  for (const block of blocksOf(ids)) await queries.deleteFrom('post_media').where('post_id', 'in', block).execute();
}

/** Attaches what posts show to posts that show nothing yet. */
export async function showMedia(queries: Queries, posts: readonly Pick<Post, 'id' | 'mediaIds'>[]): Promise<void> {
  const rows = posts.flatMap(({ id, mediaIds }) =>
    mediaIds.map((media_id, position) => ({ post_id: id, position, media_id })),
  );
  for (const block of blocksOf(rows)) await queries.insertInto('post_media').values(block).execute();
}
