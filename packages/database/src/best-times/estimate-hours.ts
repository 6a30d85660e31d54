import {
  type BestTimesScope,
  type Estimate,
  engagementOf,
  estimate,
  localHours,
  MAX_LEARNT_POSTS,
  type TimeWindow,
} from '@postshelf/domain';
import type { Queries } from '../store/dialect.ts';
import type { Scan } from '../store/store.ts';
import { IS_COUNTED } from './counted.ts';

/** `BestTimesRepository.estimate`: it takes some 20 ms of computing, in the reader thread. */
export const estimateHours: Scan<[BestTimesScope, TimeWindow, string], Estimate> = {
  name: 'estimateHours',
  async run({ read }, scope, window, zone) {
    const rows = await read((queries) =>
      within(queries, scope, window)
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

const MAX_PUBLISHED = 10_000;

export const publishedPosts: Scan<[BestTimesScope, TimeWindow], readonly number[]> = {
  name: 'publishedPosts',
  async run({ read }, scope, window) {
    const rows = await read((queries) =>
      within(queries, scope, window).select('published_at').orderBy('published_at').limit(MAX_PUBLISHED).execute(),
    );
    return rows.map((row) => row.published_at);
  },
};

/** By the index of the profile or the workspace. */
function within(queries: Queries, { workspaceId, profileId }: BestTimesScope, { from, to }: TimeWindow) {
  const posts = queries.selectFrom('posts').where('published_at', '>=', from).where('published_at', '<=', to);
  return profileId === null ? posts.where('workspace_id', '=', workspaceId) : posts.where('profile_id', '=', profileId);
}
