import { hasSameMedia, type Post } from '@postshelf/domain';
import { blocksOf } from '../store/blocks.ts';
import type { Queries } from '../store/dialect.ts';
import { attachMedia, detachAllMedia, postToRow } from './post-rows.ts';

/** A change of a post. A new post has no `before`, and a removed one has no `after`. */
export interface PostChange {
  readonly before: Post | null;
  readonly after: Post | null;
}

/**
 * Writes posts in a transaction that has locked their profiles. All writes of posts go through here; a post may occur
 * in only one change.
 */
export async function changePosts(queries: Queries, changes: readonly PostChange[]): Promise<void> {
  const added: Post[] = [];
  const changed: Post[] = [];
  const withOtherMedia: Post[] = [];
  for (const { before, after } of changes) {
    if (before === null) added.push(...(after ? [after] : []));
    else if (after === null) await queries.deleteFrom('posts').where('id', '=', before.id).execute();
    else {
      changed.push(after);
      if (!hasSameMedia(before, after)) withOtherMedia.push(after);
    }
  }
  for (const block of blocksOf(added)) await queries.insertInto('posts').values(block.map(postToRow)).execute();
  for (const block of blocksOf(changed)) await overwrite(queries, block);
  await detachAllMedia(queries, withOtherMedia);
  await attachMedia(queries, [...added, ...withOtherMedia]);
}

/** Overwrites posts in one statement, an insert with a conflict clause. Id and profile never change. */
async function overwrite(queries: Queries, posts: readonly Post[]): Promise<void> {
  await queries
    .insertInto('posts')
    .values(posts.map(postToRow))
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ ref }) => ({
        external_id: ref('excluded.external_id'),
        published_at: ref('excluded.published_at'),
        text: ref('excluded.text'),
        impressions: ref('excluded.impressions'),
        likes: ref('excluded.likes'),
        comments: ref('excluded.comments'),
        shares: ref('excluded.shares'),
        saves: ref('excluded.saves'),
        clicks: ref('excluded.clicks'),
        version: ref('excluded.version'),
        updated_at: ref('excluded.updated_at'),
      })),
    )
    .execute();
}
