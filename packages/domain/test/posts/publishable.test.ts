import { expect, test } from 'bun:test';
import { isPublishable } from '../../src/index.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z');

test.each([
  ['1970-01-01T00:00:00Z', false],
  ['1999-12-31T23:59:59.999Z', false],
  ['2000-01-01T00:00:00Z', true],
  ['2026-11-22T10:00:00Z', true],
  ['2028-11-22T10:00:00Z', true],
  ['2028-11-25T10:00:00Z', false],
  ['9999-12-31T23:59:59.999Z', false],
])('a post of %s is taken in November 2026: %p', (published, isTaken) => {
  expect(isPublishable(Date.parse(published), NOW)).toBe(isTaken);
});
