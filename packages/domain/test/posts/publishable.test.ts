import { expect, test } from 'bun:test';
import { isCounted, isPublishable, NO_METRICS } from '../../src/index.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z');

test.each([
  ['1970-01-01T00:00:00Z', false],
  ['1999-12-31T23:59:59.999Z', false],
  ['2000-01-01T00:00:00Z', true],
  ['2026-11-22T10:00:00Z', true],
  ['2028-11-22T10:00:00Z', true],
  ['2028-11-25T10:00:00Z', false],
  ['9999-12-31T23:59:59.999Z', false],
])('a post published at %s is accepted in November 2026: %p', (published, isTaken) => {
  expect(isPublishable(Date.parse(published), NOW)).toBe(isTaken);
});

test.each([
  ['count a post that was published before it was created', 10, NO_METRICS, true],
  ['ignore a planned post', 11, NO_METRICS, false],
  ['count a planned post that has metrics', 11, { ...NO_METRICS, clicks: 1 }, true],
] as const)('best times %s', (_, publishedAt, metrics, expected) => {
  expect(isCounted({ publishedAt, createdAt: 10, metrics })).toBe(expected);
});
