import { expect, test } from 'bun:test';
import { engagementOf, MAX_METRIC, NO_METRICS } from '../../src/index.ts';

test('engagement is the sum of likes, comments, shares and saves', () => {
  const metrics = { impressions: 100_000, likes: 1, comments: 20, shares: 300, saves: 4000, clicks: 50_000 };
  expect(engagementOf(metrics)).toBe(4321);
  expect(engagementOf(NO_METRICS)).toBe(0);
});

test('the engagement of twenty thousand posts is exact, even with maximum metrics', () => {
  const max = { ...NO_METRICS, likes: MAX_METRIC, comments: MAX_METRIC, shares: MAX_METRIC, saves: MAX_METRIC };
  expect(Number.isSafeInteger(20_000 * engagementOf(max) + 1)).toBe(true);
});
