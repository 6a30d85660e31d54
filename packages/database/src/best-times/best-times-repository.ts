import type { BestTimesRepository } from '@postshelf/domain';
import type { Store } from '../store/store.ts';
import { rebuild } from './rebuild.ts';
import { scoreHours } from './score-hours.ts';

/** Best times from the roll-up by profile and UTC day, and from single posts where quarters are too coarse. */
export const bestTimesRepository = (store: Store): BestTimesRepository => ({
  scores: (scope, window, zone, signal) =>
    store.scan(scoreHours, { workspaceId: scope.workspaceId, signal }, scope, window, zone),

  rebuild: (onProfile) => rebuild(store, onProfile),
});
