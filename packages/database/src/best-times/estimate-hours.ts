import {
  type BestTimesScope,
  type Estimate,
  engagementOf,
  estimate,
  localHours,
  MAX_LEARNT_POSTS,
  QUARTER,
  type TimeWindow,
} from '@postshelf/domain';
import { sql } from 'kysely';
import type { Queries } from '../store/dialect.ts';
import type { Scan } from '../store/store.ts';
import { IS_COUNTED } from './counted.ts';

/** Rows that are looked at for posts that count: planned ones that were never measured don't. */
const MOST_ROWS = 20_000;

/** `BestTimesRepository.estimate`: it takes some 20 ms of computing, in the reader thread. */
export const estimateHours: Scan<[BestTimesScope, TimeWindow, string], Estimate> = {
  name: 'estimateHours',
  async run({ read }, scope, window, zone) {
    const rows = await read((queries) =>
      queries
        .selectFrom(within(queries, scope, window, 'desc').selectAll().limit(MOST_ROWS).as('newest'))
        .where(IS_COUNTED)
        .select(['profile_id', 'published_at', 'impressions', 'likes', 'comments', 'shares', 'saves', 'clicks'])
        .orderBy('published_at', 'desc')
        .orderBy('id', 'desc')
        .limit(MAX_LEARNT_POSTS)
        .execute(),
    );
    const posts = rows.map((row) => ({
      profileId: row.profile_id,
      at: row.published_at,
      engagement: engagementOf(row),
    }));
    return estimate(posts, localHours(zone));
  },
};

const MOST_PUBLISHED = 50_000;

export const publishedPosts: Scan<[BestTimesScope, TimeWindow], readonly number[]> = {
  name: 'publishedPosts',
  async run({ read }, scope, window) {
    const rows = await read((queries) =>
      queries
        .selectFrom(within(queries, scope, window, 'asc').select('published_at').limit(MOST_PUBLISHED).as('posts'))
        .select(({ fn }) => [fn.min('published_at').as('first'), fn.max('published_at').as('last')])
        .groupBy(sql`published_at / ${sql.lit(QUARTER)}`)
        .execute(),
    );
    const instants = rows.flatMap(({ first, last }) => [Number(first), Number(last)]);
    return instants.sort((one, other) => one - other);
  },
};

/** By the index of the profile or the workspace; of profiles that are being removed nothing. */
function within(
  queries: Queries,
  { workspaceId, profileId }: BestTimesScope,
  { from, to }: TimeWindow,
  order: 'asc' | 'desc',
) {
  const posts = queries
    .selectFrom('posts')
    .where('published_at', '>=', from)
    .where('published_at', '<=', to)
    .orderBy('published_at', order)
    .orderBy('id', order);
  if (profileId !== null) return posts.where('profile_id', '=', profileId);
  const removed = queries
    .selectFrom('profiles')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('removal_begun_at', 'is not', null);
  return posts.where('workspace_id', '=', workspaceId).where('profile_id', 'not in', removed);
}
