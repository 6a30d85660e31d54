import { expect, test } from 'bun:test';
import { dateSection } from '../../src/media/view/date-sections.ts';

test.each([
  ['2026-11-29T01:00:00Z', 'UTC', 'Today'],
  ['2026-11-28T23:59:00Z', 'UTC', 'Yesterday'],
  ['2026-11-28T23:59:00Z', 'Europe/Berlin', 'Today'],
  ['2026-11-23T12:00:00Z', 'UTC', 'Monday 23 November'],
  ['2026-11-22T12:00:00Z', 'UTC', 'November 2026'],
  ['2025-11-22T12:00:00Z', 'UTC', 'November 2025'],
  // The item's time is in the future, because the clock of another machine is ahead.
  ['2026-12-01T00:00:00Z', 'UTC', 'December 2026'],
])('an item added at %s is listed in the zone %s under %s', (instant, zone, heading) => {
  expect(dateSection(instant, '2026-11-29', zone)).toBe(heading);
});
