import type { BestTimesRepository } from '@postshelf/domain';
import type { Store } from '../store/store.ts';
import { estimateHours } from './estimate-hours.ts';
import { publishedPosts } from './published-posts.ts';
import { scoreHours } from './score-hours.ts';

/** Computes best times from the posts themselves, with an index that covers all columns that are read. */
export const bestTimesRepository = (store: Store): BestTimesRepository => ({
  scores: (scope, window, zone, signal) =>
    store.scan(scoreHours, { workspaceId: scope.workspaceId, signal }, scope, window, zone),

  estimate: (scope, lesson, signal) =>
    store.scan(estimateHours, { workspaceId: scope.workspaceId, signal }, scope, lesson),

  published: (scope, window, signal) =>
    store.scan(publishedPosts, { workspaceId: scope.workspaceId, signal }, scope, window),
});
