import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  addProfile,
  type BestTimesScope,
  EPOCH_HOUR_OF_WEEK,
  emptyProfileWeek,
  emptyScores,
  HOURS_PER_WEEK,
  localHours,
  type ProfileWeek,
  type Scores,
  type TimeWindow,
  type Uuid,
} from '@postshelf/domain';
import { sql } from 'kysely';
import type { Dialect, Queries } from '../store/dialect.ts';
import type { Scan } from '../store/store.ts';
import { ENGAGEMENT, IS_COUNTED } from './engagement.ts';
import { PROFILES, profileIds } from './profile-ids.ts';

const HOUR = 60 * 60 * 1000;

/** Implements `BestTimesRepository.scores`: the database sums up every post of the window. */
export const scoreHours: Scan<[BestTimesScope, TimeWindow, string], Scores> = {
  name: 'scoreHours',
  async run({ read, dialect }, scope, window, zone) {
    const scores = emptyScores();
    let ids: readonly Uuid[] = [];
    do {
      const after = ids.at(-1) ?? null;
      ids = await read(async (queries) => {
        const next = await profileIds(queries, scope, after, PROFILES);
        for (const id of next) addProfile(scores, await sumHours(queries, dialect, id, window, zone));
        return next;
      });
      await nextTurn();
    } while (ids.length === PROFILES);
    return scores;
  },
};

async function sumHours(
  queries: Queries,
  { whileWanted = sql<boolean>`true`, learnedPosts }: Dialect,
  profileId: Uuid,
  window: TimeWindow,
  zone: string,
): Promise<ProfileWeek> {
  const week = emptyProfileWeek();
  const first = await queries
    .selectFrom('posts')
    .select('published_at')
    .where('profile_id', '=', profileId)
    .where('published_at', '>=', window.from)
    .where('published_at', '<=', window.to)
    .orderBy('published_at')
    .limit(1)
    .executeTakeFirst();
  if (!first) return week;
  // Each period in which the time zone's offset stays the same is read separately, as a range of the index.
  for (const { from, to, offset } of localHours(zone).stretches({ from: first.published_at, to: window.to })) {
    // The shifted time is positive for every post, so that the division rounds down.
    const shift = offset + (HOURS_PER_WEEK + EPOCH_HOUR_OF_WEEK) * HOUR;
    const { rows } = await sql<{ hour: number; posts: number; engagement: number }>`
      select (published_at + ${sql.lit(shift)}) / ${sql.lit(HOUR)} % ${sql.lit(HOURS_PER_WEEK)} as hour,
        count(*) as posts, sum(${ENGAGEMENT}) as engagement
      from ${learnedPosts}
      where profile_id = ${profileId} and published_at >= ${from} and published_at <= ${to}
        and ${IS_COUNTED} and ${whileWanted}
      group by 1`.execute(queries);
    for (const { hour, posts, engagement } of rows) {
      week.posts[hour] = (week.posts[hour] ?? 0) + posts;
      week.engagement[hour] = (week.engagement[hour] ?? 0) + Number(engagement);
    }
  }
  return week;
}
