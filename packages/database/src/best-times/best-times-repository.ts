import type { BestTimesRepository } from '@postshelf/domain';
import type { Store } from '../store/store.ts';
import { estimateHours, publishedPosts } from './estimate-hours.ts';
import { rebuild } from './rebuild.ts';
import { scoreHours } from './score-hours.ts';

/** Best times from the roll-up by profile and UTC day, and from single posts where quarters are too coarse. */
export const bestTimesRepository = (store: Store): BestTimesRepository => ({
  scores: (scope, window, zone, signal) =>
    store.scan(scoreHours, { workspaceId: scope.workspaceId, signal }, scope, window, zone),

  estimate: (scope, window, zone, signal) =>
    store.scan(estimateHours, { workspaceId: scope.workspaceId, signal }, scope, window, zone),

  published: (scope, window, signal) =>
    store.scan(publishedPosts, { workspaceId: scope.workspaceId, signal }, scope, window),

  rebuild: (onProfile) => rebuild(store, onProfile),
});
