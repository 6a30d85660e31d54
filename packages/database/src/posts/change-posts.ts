import type { Post } from '@postshelf/domain';
import { countChanges } from '../engagement/keep-days.ts';
import { blocksOf } from '../repositories/blocks.ts';
import type { Queries } from '../repositories/store.ts';
import { areTheSame } from './details.ts';
import { showMedia } from './post-media.ts';
import { postToRow } from './post-rows.ts';

/** A post that is new has no `before`, one that goes no `after`. */
export interface PostChange {
  readonly before: Post | null;
  readonly after: Post | null;
}

/**
 * The one place where posts are written: what is rolled up of them changes with them, in the same transaction. No post
 * may stand in two of the changes.
 */
export async function changePosts(queries: Queries, changes: readonly PostChange[]): Promise<void> {
  const added: Post[] = [];
  for (const { before, after } of changes) {
    if (before === null) added.push(...(after ? [after] : []));
    else if (after === null) await queries.deleteFrom('posts').where('id', '=', before.id).execute();
    else await updatePost(queries, before, after);
  }
  for (const block of blocksOf(added)) await queries.insertInto('posts').values(block.map(postToRow)).execute();
  await showMedia(queries, added);
  await countChanges(queries, changes);
}

async function updatePost(queries: Queries, before: Post, after: Post): Promise<void> {
  await queries.updateTable('posts').set(postToRow(after)).where('id', '=', after.id).execute();
  if (areTheSame(before.mediaIds, after.mediaIds)) return;
  await queries.deleteFrom('post_media').where('post_id', '=', after.id).execute();
  await showMedia(queries, [after]);
}
