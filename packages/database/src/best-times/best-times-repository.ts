import type { BestTimesRepository } from '@postshelf/domain';
import type { Store } from '../store/store.ts';
import { rebuild } from './rebuild.ts';
import { scoreHours } from './score-hours.ts';

/** The roll-up of posts by profile and UTC day, and the posts themselves where a day's quarters are too coarse. */
export const bestTimesRepository = (store: Store): BestTimesRepository => ({
  scores: (scope, window, zone, signal) =>
    store.scan(scoreHours, { workspaceId: scope.workspaceId, signal }, scope, window, zone),

  rebuild: (onProfile) => rebuild(store, onProfile),
});
