import { expect, test } from 'bun:test';
import { isImportGivenUp, MAX_INTERRUPTIONS, pauseAfterFault } from '../../src/index.ts';

const pauses = Array.from({ length: MAX_INTERRUPTIONS }, (_, nth) => pauseAfterFault(nth + 1, 5000));

test('the pauses after failures of this service double up to ten minutes', () => {
  expect(pauses.slice(0, 3)).toEqual([5_000, 10_000, 20_000]);
  expect(pauses.at(-1)).toBe(600_000);
});

test('an import is abandoned only after an outage of 40 minutes', () => {
  expect(isImportGivenUp(pauses.length)).toBe(false);
  expect(isImportGivenUp(pauses.length + 1)).toBe(true);
  expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThan(40 * 60_000);
});
