import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  addProfile,
  type BestTimesScope,
  emptyProfileWeek,
  emptyScores,
  type LocalHours,
  localHours,
  type ProfileWeek,
  type Scores,
  type TimeWindow,
  type Uuid,
} from '@postshelf/domain';
import type { Scan, ScanStore } from '../store/store.ts';
import { profileIds } from './profile-ids.ts';
import { type EngagementPage, readProfile } from './read-profile.ts';

/** Profiles that are read in one transaction; between two transactions others can use the connection. */
const PROFILES = 10;

/**
 * Implements `BestTimesRepository.scores` as a scan: rows are summed up in the reader thread, and only the scores leave
 * it.
 */
export const scoreHours: Scan<[BestTimesScope, TimeWindow, string], Scores> = {
  name: 'scoreHours',
  async run(store, scope, window, zone) {
    const hours = localHours(zone);
    const scores = emptyScores();
    let [ofProfile, week]: [Uuid | null, ProfileWeek] = [null, emptyProfileWeek()];
    for await (const { profileId, rows } of readScope(store, scope, window, hours)) {
      store.requireWanted();
      if (profileId !== ofProfile) {
        addProfile(scores, week);
        [ofProfile, week] = [profileId, emptyProfileWeek()];
      }
      for (const { at, posts, engagement } of rows) add(week, hours.at(at), posts, engagement);
    }
    addProfile(scores, week);
    return scores;
  },
};

/**
 * Reads the scope's pages, grouped by profile. Nothing else of the database may be awaited between two pages ({@link
 * Store.pull}).
 */
function readScope(
  store: ScanStore,
  { workspaceId, profileId }: BestTimesScope,
  window: TimeWindow,
  hours: LocalHours,
): AsyncIterable<EngagementPage> {
  const isWhole = (quarter: number): boolean => hours.ofQuarter(quarter) !== null;
  if (profileId === null) return readWorkspace(store, workspaceId, window, isWhole);
  return store.pull((snapshot) => readProfile(snapshot, profileId, window, isWhole));
}

async function* readWorkspace(
  store: ScanStore,
  workspaceId: Uuid,
  window: TimeWindow,
  isWhole: (quarter: number) => boolean,
): AsyncGenerator<EngagementPage, void> {
  let ids: readonly Uuid[] = [];
  do {
    const after = ids.at(-1) ?? null;
    yield* store.pull(async function* (snapshot) {
      ids = await profileIds(snapshot, workspaceId, after, PROFILES);
      for (const id of ids) yield* readProfile(snapshot, id, window, isWhole);
    });
    store.requireWanted();
    await nextTurn();
  } while (ids.length === PROFILES);
}

function add(week: ProfileWeek, hour: number, posts: number, engagement: number): void {
  week.posts[hour] = (week.posts[hour] ?? 0) + posts;
  week.engagement[hour] = (week.engagement[hour] ?? 0) + engagement;
}
