import { setImmediate as othersTurn } from 'node:timers/promises';
import type { BestTimesRepository, EngagementVisitor, TimeWindow, Uuid } from '@postshelf/domain';
import type { Store } from '../store/store.ts';
import { profileIds } from './profile-ids.ts';
import { visitProfile } from './read-profile.ts';
import { rebuild } from './rebuild.ts';

/** Profiles that are told of in one go; in between others have their turn on the connection and the event loop. */
const PROFILES = 10;

/** The roll-up of posts by profile and UTC day, and the posts themselves where a day's quarters are too coarse. */
export function bestTimesRepository(store: Store): BestTimesRepository {
  return {
    visit: (scope, window, visitor) =>
      'profileId' in scope
        ? store.snapshot((snapshot) => visitProfile(snapshot, scope.profileId, window, visitor))
        : visitWorkspace(store, scope.workspaceId, window, visitor),

    rebuild: (onProfile) => rebuild(store, onProfile),
  };
}

async function visitWorkspace(
  store: Store,
  workspaceId: Uuid,
  window: TimeWindow,
  visitor: EngagementVisitor,
): Promise<void> {
  let after: Uuid | undefined;
  do {
    after = await store.snapshot(async (snapshot) => {
      const ids = await profileIds(snapshot, workspaceId, after ?? null, PROFILES);
      for (const id of ids) await visitProfile(snapshot, id, window, visitor);
      return ids[PROFILES - 1];
    });
    await othersTurn();
  } while (after !== undefined);
}
