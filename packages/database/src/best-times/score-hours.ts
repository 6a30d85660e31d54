import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  addProfile,
  type BestTimesScope,
  emptyProfileWeek,
  emptyScores,
  localHours,
  type ProfileWeek,
  type Scores,
  type TimeWindow,
  type Uuid,
} from '@postshelf/domain';
import type { Queries } from '../store/dialect.ts';
import type { Scan } from '../store/store.ts';
import { profileIds } from './profile-ids.ts';
import { readProfile } from './read-profile.ts';

/** Of one transaction, as others need the connection. */
const PROFILES = 10;

/** `BestTimesRepository.scores`: rows are summed up in the reader thread. */
export const scoreHours: Scan<[BestTimesScope, TimeWindow, string], Scores> = {
  name: 'scoreHours',
  async run(store, { workspaceId, profileId }, window, zone) {
    const hours = localHours(zone);
    const isWhole = (quarter: number): boolean => hours.ofQuarter(quarter) !== null;
    const scores = emptyScores();
    const addPosts = async (queries: Queries, id: Uuid): Promise<void> => {
      const week = emptyProfileWeek();
      for await (const rows of readProfile(queries, id, window, isWhole)) {
        for (const { at, posts, engagement } of rows) add(week, hours.at(at), posts, engagement);
      }
      addProfile(scores, week);
    };
    if (profileId !== null) await store.read((queries) => addPosts(queries, profileId));
    else {
      let ids: readonly Uuid[] = [];
      do {
        const after = ids.at(-1) ?? null;
        ids = await store.read(async (queries) => {
          const next = await profileIds(queries, workspaceId, after, PROFILES);
          for (const id of next) await addPosts(queries, id);
          return next;
        });
        await nextTurn();
      } while (ids.length === PROFILES);
    }
    return scores;
  },
};

function add(week: ProfileWeek, hour: number, posts: number, engagement: number): void {
  week.posts[hour] = (week.posts[hour] ?? 0) + posts;
  week.engagement[hour] = (week.engagement[hour] ?? 0) + engagement;
}
