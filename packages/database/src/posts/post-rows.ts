import type { EventPost, Post, PostMetrics, Uuid } from '@postshelf/domain';
import { blocksOf } from '../store/blocks.ts';
import type { Queries } from '../store/dialect.ts';
import type { PostRow } from '../store/tables.ts';

export const postToRow = (post: Post): PostRow => ({
  id: post.id,
  workspace_id: post.workspaceId,
  profile_id: post.profileId,
  external_id: post.externalId,
  published_at: post.publishedAt,
  text: post.text,
  ...metricsOf(post.metrics),
  version: post.version,
  created_at: post.createdAt,
  updated_at: post.updatedAt,
});

/** @param mediaIds in order, as stored in `post_media` */
const postFromRow = (row: PostRow, mediaIds: readonly Uuid[]): Post => ({
  ...eventPostFromRow(row, mediaIds),
  text: row.text,
});

export const eventPostFromRow = (row: Omit<PostRow, 'text'>, mediaIds: readonly Uuid[]): EventPost => ({
  id: row.id,
  workspaceId: row.workspace_id,
  profileId: row.profile_id,
  externalId: row.external_id,
  publishedAt: row.published_at,
  mediaIds,
  metrics: metricsOf(row),
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const metricsOf = ({ impressions, likes, comments, shares, saves, clicks }: PostMetrics): PostMetrics => ({
  impressions,
  likes,
  comments,
  shares,
  saves,
  clicks,
});

/** Returns the media of posts, in order; posts without media are omitted. */
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

/** Makes posts from their rows, and adds their media. */
export async function withMedia(queries: Queries, rows: readonly PostRow[]): Promise<Post[]> {
  const media = await mediaOfPosts(
    queries,
    rows.map((row) => row.id),
  );
  return rows.map((row) => postFromRow(row, media.get(row.id) ?? []));
}

export async function detachAllMedia(queries: Queries, posts: readonly Pick<Post, 'id'>[]): Promise<void> {
  const ids = posts.map((post) => post.id);
  for (const block of blocksOf(ids)) await queries.deleteFrom('post_media').where('post_id', 'in', block).execute();
}

/** Number of attachments per insert statement. It is small, because a trigger reads the post and the item of each. */
const ATTACHMENTS = 100;

export async function attachMedia(queries: Queries, posts: readonly Pick<Post, 'id' | 'mediaIds'>[]): Promise<void> {
  const rows = posts.flatMap(({ id, mediaIds }) =>
    mediaIds.map((media_id, position) => ({ post_id: id, position, media_id })),
  );
  for (const block of blocksOf(rows, ATTACHMENTS)) await queries.insertInto('post_media').values(block).execute();
}
