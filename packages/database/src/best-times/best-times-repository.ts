import { setImmediate as othersTurn } from 'node:timers/promises';
import type { BestTimesRepository, EngagementPage, TimeWindow, Uuid } from '@postshelf/domain';
import type { Store } from '../store/store.ts';
import { profileIds } from './profile-ids.ts';
import { readProfile } from './read-profile.ts';
import { rebuild } from './rebuild.ts';

/** Profiles that are read in one transaction; in between others have their turn on the connection and the event loop. */
const PROFILES = 10;

/** The roll-up of posts by profile and UTC day, and the posts themselves where a day's quarters are too coarse. */
export function bestTimesRepository(store: Store): BestTimesRepository {
  return {
    read: (scope, window, isWhole) =>
      'profileId' in scope
        ? store.pull((snapshot) => readProfile(snapshot, scope.profileId, window, isWhole))
        : readWorkspace(store, scope.workspaceId, window, isWhole),

    rebuild: (onProfile) => rebuild(store, onProfile),
  };
}

async function* readWorkspace(
  store: Store,
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
    await othersTurn();
  } while (ids.length === PROFILES);
}
