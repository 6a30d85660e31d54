import { describe, expect, test } from 'bun:test';
import { type PostFilterSearch, readBestTimesSearch, readPostsSearch, withFilter } from '../src/posts/filter-search.ts';
import { addMonths, daysLater, monthOf, suggestedDays, weekOf } from '../src/posts/planner/dates.ts';
import { dateFieldOf, dayIn, timeIn, weekdayIn } from '../src/ui/zoned-time.ts';

describe('URL parameters', () => {
  test.each([
    ['no parameters', {}, {}],
    ['empty parameters', { profile: '', from: '', to: '', page: '' }, {}],
    [
      'a profile, a range and a page',
      { profile: 'p', from: '2026-11-01', to: '2026-11-21', page: 3 },
      { profile: 'p', from: '2026-11-01', to: '2026-11-21', page: 3 },
    ],
    ['values of other types', { profile: { a: 1 }, from: ['x'], to: null, page: 1 }, {}],
    ['a number and a numeric text', { from: 2026, page: '2' }, { from: '2026', page: 2 }],
    ['a page that is not whole', { media: 'm', page: 1.5 }, { media: 'm' }],
    ['a negative page', { page: -2 }, {}],
    ['a post and a week', { post: 'p', week: '2026-11-21' }, { post: 'p', week: '2026-11-21' }],
    ['a week that does not exist', { week: '2026-13-01' }, {}],
    ['a week in words', { week: 'next' }, {}],
    ['a month', { month: '2026-11-21' }, { month: '2026-11-21' }],
    ['a malformed month next to a week', { month: '2026-11', week: '2026-11-21' }, { week: '2026-11-21' }],
  ])('of posts are read from %s', (_, search, read) => {
    expect(readPostsSearch(search)).toEqual(read);
  });

  test.each([
    ['a profile and a start', { profile: 'p', from: '2026-11-01' }, { profile: 'p', from: '2026-11-01' }],
    ['unknown fields', { method: 'smoothed', page: 2 }, {}],
  ])('of best times are read from %s', (_, search, read) => {
    expect(readBestTimesSearch(search)).toEqual(read);
  });

  test('keep their other fields when a filter changes or is removed', () => {
    const search: PostFilterSearch & { workspace: string } = { workspace: 'w', profile: 'p', from: '2026-11-01' };
    expect(withFilter(search, 'from', '2026-11-02')).toEqual({ workspace: 'w', profile: 'p', from: '2026-11-02' });
    expect(withFilter(search, 'profile', '')).toEqual({ workspace: 'w', from: '2026-11-01' });
  });
});

test.each(['2026-11-30', '2026-12-02', '2026-12-06'])('the week of %s begins on Monday, and ends on Sunday', (date) => {
  expect([weekOf(date)[0], weekOf(date).at(-1)]).toEqual(['2026-11-30', '2026-12-06']);
});

test.each([
  ['2026-02-14', '2026-01-26', '2026-03-01'],
  ['2027-02-14', '2027-02-01', '2027-02-28'],
  ['2026-08-31', '2026-07-27', '2026-09-06'],
])('the month of %s is shown in whole weeks, from %s to %s', (date, from, to) => {
  expect([monthOf(date)[0], monthOf(date).at(-1)]).toEqual([from, to]);
});

test.each([
  ['2026-11-21T23:30:00.000Z', 1, 'Europe/Berlin', '2026-11-22T23:30:00Z'],
  ['2026-11-21T23:30:00.000Z', -1, 'Europe/Berlin', '2026-11-20T23:30:00Z'],
  ['2026-11-22T00:30:00.000Z', 1, 'America/New_York', '2026-11-23T00:30:00Z'],
  ['2026-10-24T23:30:00.000Z', 1, 'Europe/Berlin', '2026-10-26T00:30:00Z'],
])('%s moved by %d days keeps its time of day in %s', (at, days, zone, moved) => {
  expect(Date.parse(daysLater(at, days, zone))).toBe(Date.parse(moved));
});

test('addMonths returns the first day of a month', () => {
  expect([addMonths('2026-12-31', 1), addMonths('2026-01-31', -1)]).toEqual(['2027-01-01', '2025-12-01']);
});

test.each([
  ['2026-11-20', 'none', null],
  ['2026-11-27', '2026-11-28 to 2026-11-29', { from: '2026-11-28', to: '2026-11-29' }],
  ['2026-12-02', '2026-11-30 to 2026-12-06', { from: '2026-11-30', to: '2026-12-06' }],
  ['2027-01-28', '2027-01-25 to 2027-01-27', { from: '2027-01-25', to: '2027-01-27' }],
  ['2027-02-01', 'none', null],
])('the days of the week of %s for which times are suggested are: %s', (date, _, days) => {
  const now = Date.parse('2026-11-27T23:30Z');
  expect(suggestedDays(weekOf(date), now, 'Europe/Berlin')).toEqual(days);
});

test('no times are suggested for the 60th day if a clock change makes it start over 60 × 24 hours ahead', () => {
  expect(suggestedDays(weekOf('2026-11-30'), Date.parse('2026-09-30T22:10Z'), 'Europe/Berlin')).toBeNull();
});

describe('local times in a time zone', () => {
  test.each([
    ['2026-11-21T23:30:00Z', 'UTC', '2026-11-21', '21 Nov 2026', 'Sat 21 Nov 2026', '23:30'],
    ['2026-11-21T23:30:00Z', 'Asia/Tokyo', '2026-11-22', '22 Nov 2026', 'Sun 22 Nov 2026', '08:30'],
    ['2026-01-01T00:05:00Z', 'America/New_York', '2025-12-31', '31 Dec 2025', 'Wed 31 Dec 2025', '19:05'],
    ['2026-06-01T00:00:00Z', 'Europe/Lisbon', '2026-06-01', '1 Jun 2026', 'Mon 1 Jun 2026', '01:00'],
  ])('are formatted for %s in %s', (instant, zone, field, day, weekday, time) => {
    expect([dateFieldOf(instant, zone), dayIn(instant, zone), weekdayIn(instant, zone), timeIn(instant, zone)]).toEqual(
      [field, day, weekday, time],
    );
  });
});
