import type { PostMetrics, TimeWindow, Uuid } from '@postshelf/domain';
import { sql } from 'kysely';
import type { Queries } from '../repositories/store.ts';

/** Posts that are read at once, so that memory is bounded however many there are. */
const PAGE = 2000;

interface CountedPost {
  readonly publishedAt: number;
  readonly metrics: PostMetrics;
}

/** A profile's posts of a stretch of time, oldest first. */
export async function* postsWithin(
  queries: Queries,
  profileId: Uuid,
  { from, to }: TimeWindow,
): AsyncGenerator<CountedPost, void> {
  const posts = queries
    .selectFrom('posts')
    .select(['id', 'published_at', 'impressions', 'likes', 'comments', 'shares', 'saves', 'clicks'])
    .where('profile_id', '=', profileId)
    .where('published_at', '>=', from)
    .where('published_at', '<=', to)
    .orderBy('published_at')
    .orderBy('id')
    .limit(PAGE);
  let rows = await posts.execute();
  while (true) {
    for (const row of rows) yield { publishedAt: row.published_at, metrics: row };
    const last = rows.at(-1);
    if (rows.length < PAGE || !last) return;
    const isAfter = sql<boolean>`(published_at, id) > (${last.published_at}, ${last.id})`;
    rows = await posts.where(isAfter).execute();
  }
}
