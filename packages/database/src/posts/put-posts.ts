import { type Post, type PostDetails, postOfDetails, type UpsertOutcome, withEdit } from '@postshelf/domain';
import { sql } from 'kysely';
import { blocksOf } from '../store/blocks.ts';
import type { Dialect, Queries } from '../store/dialect.ts';
import { lockForPosts } from '../store/row-locks.ts';
import type { PostRow } from '../store/tables.ts';
import { attachmentsAmong } from './attachments.ts';
import { changePosts, type PostChange } from './change-posts.ts';
import { withMedia } from './post-rows.ts';

/**
 * Upserts posts by profile and external id, in order. All posts are looked up first and written last, in a few
 * statements. A post may occur more than once.
 */
export async function putPosts(
  queries: Queries,
  dialect: Dialect,
  batch: readonly PostDetails[],
  now: number,
): Promise<readonly UpsertOutcome[]> {
  await lockForPosts(
    queries,
    batch.map((details) => details.profileId),
  );
  const existing = await postsNamed(queries, dialect, batch);
  const refuseMedia = await attachmentsAmong(
    queries,
    batch.flatMap((details) => details.mediaIds ?? []),
  );
  const changed = new Map<string, Post>();
  const outcomes = batch.map((details): UpsertOutcome => {
    const key = keyOf(details);
    const current = changed.get(key) ?? existing.get(key);
    const after = current ? withEdit(current, details, now) : postOfDetails(details, now);
    if (after === current) return 'unchanged';
    const refusals = refuseMedia(after, current?.mediaIds ?? []);
    if (refusals.size > 0) return { conflict: 'media', refusals };
    changed.set(key, after);
    return current ? 'updated' : 'created';
  });
  const changes = Array.from(changed, ([key, after]): PostChange => ({ before: existing.get(key) ?? null, after }));
  await changePosts(queries, changes);
  return outcomes;
}

type Name = Pick<Post, 'profileId' | 'externalId'>;

/** A UUID contains no space, so different pairs have different keys. */
const keyOf = ({ profileId, externalId }: Name): string => `${profileId} ${externalId}`;

async function postsNamed(
  queries: Queries,
  dialect: Dialect,
  names: readonly Name[],
): Promise<ReadonlyMap<string, Post>> {
  const rows: PostRow[] = [];
  for (const block of blocksOf(names)) {
    const keys = block.map(({ profileId, externalId }) => sql`(${dialect.typedId(profileId)}, ${externalId})`);
    rows.push(
      ...(await queries
        .selectFrom('posts')
        .selectAll()
        .where(sql<boolean>`(profile_id, external_id) in (values ${sql.join(keys)})`)
        // Otherwise PostgreSQL wouldn't use the partial index.
        .where('external_id', 'is not', null)
        .execute()),
    );
  }
  const posts = await withMedia(queries, rows);
  return new Map(posts.map((post) => [keyOf(post), post]));
}
