import { describe, expect, test } from 'bun:test';
import {
  type Estimate,
  type HourEstimate,
  localHours,
  plannedWindow,
  readExclusions,
  type SlotWishes,
  slotWindow,
  suggestSlots,
} from '../../src/index.ts';

const HOUR = 3_600_000;
const at = (text: string): number => Date.parse(text);
const flat: HourEstimate = { score: 100, low: 90, high: 110, posts: 3 };

const estimateWith = (some: Readonly<Record<number, Partial<HourEstimate>>>): Estimate => ({
  hours: Array.from({ length: 168 }, (_, hour) => ({ ...flat, ...some[hour] })),
  posts: 500,
  leftOut: 0,
  evidence: 'strong',
});

/** Returns wishes for Sunday 25 October 2026, on which Berlin sets its clocks back at 3:00. */
const wishes = (some: Partial<SlotWishes> = {}): SlotWishes => ({
  window: { from: at('2026-10-24T22:00:00Z'), to: at('2026-10-25T22:59:59Z') },
  count: 5,
  minGapMinutes: 120,
  excluded: new Set(),
  ...some,
});

const slots = (estimate: Estimate, wanted: SlotWishes, planned: readonly number[] = [], zone = 'Europe/Berlin') =>
  suggestSlots(estimate, localHours(zone), wanted, planned);

const instants = (found: readonly { readonly at: number }[]) => found.map((slot) => new Date(slot.at).toISOString());

describe('suggested slots', () => {
  test('are sorted by score, then posts, then time, regardless of their intervals', () => {
    const estimate = estimateWith({
      18: { score: 144, low: 120, high: 170 },
      12: { score: 130, low: 95 },
      20: { score: 120, posts: 4 },
      8: { score: 120, posts: 3 },
      10: { score: 120, posts: 3 },
      16: { score: 119, high: 300, posts: 0 },
    });
    expect(slots(estimate, wishes({ count: 6 })).map(({ hourOfWeek }) => hourOfWeek)).toEqual([18, 12, 20, 8, 10, 16]);
  });

  const reasonOf = (some: Partial<HourEstimate>, evidence: Estimate['evidence'] = 'strong') => {
    const [slot] = slots({ ...estimateWith({ 18: { score: 150, ...some } }), evidence }, wishes());
    return [slot?.kind, slot?.reason];
  };

  test('count as proven if their whole interval is above 100, and give percentages only with fair evidence', () => {
    const good = { low: 139.6, high: 190.2, posts: 12 };
    expect(reasonOf(good)).toEqual(['proven', 'Probably 40 to 90 % above your average, 12 posts so far.']);
    expect(reasonOf({ ...good, low: 100.2 }, 'fair')).toEqual([
      'proven',
      'Probably up to 90 % above your average, 12 posts so far.',
    ]);
    expect(reasonOf(good, 'weak')).toEqual(['proven', 'Probably above your average, 12 posts so far.']);
    expect(reasonOf(good, 'none')).toEqual(['proven', 'Possibly above your average, 12 posts so far.']);
    expect(reasonOf({ posts: 1 })).toEqual(['explore', 'Possibly above your average, 1 post so far.']);
    expect(reasonOf({ posts: 0 })).toEqual(['explore', 'No posts at this hour yet, but similar hours do well.']);
    const [equal] = slots(estimateWith({}), wishes());
    expect(equal).toMatchObject({ kind: 'explore', reason: 'No better hour is free, 3 posts so far.' });
    const empty = slots({ ...estimateWith({}), posts: 0, evidence: 'none' }, wishes());
    expect(empty[0]?.reason).toBe(
      'Nothing to learn from yet: a profile needs 5 posts with metrics that are older than 72 hours.',
    );
  });

  test('include night hours without posts only if nothing else is left', () => {
    const nights = { 2: { score: 150, posts: 0 }, 4: { score: 140, posts: 0 }, 26: { score: 130 }, 16: { score: 101 } };
    const found = slots(
      estimateWith({ ...nights, ...Object.fromEntries([28, 52, 76].map((hour) => [hour, { posts: 0 }])) }),
      wishes({ count: 50, window: { from: at('2026-10-24T22:00:00Z'), to: at('2026-10-26T22:59:59Z') } }),
    );
    // Sunday's 2:00 and 4:00 aren't night hours without posts, because other days have posts at these hours.
    expect(found.slice(0, 4).map(({ hourOfWeek }) => hourOfWeek)).toEqual([2, 4, 26, 16]);
    const never = Object.fromEntries(
      Array.from({ length: 168 }, (_, hour) => [hour, hour % 24 === 4 ? { score: 150, posts: 0 } : {}]),
    );
    expect(slots(estimateWith(never), wishes()).map(({ hourOfWeek }) => hourOfWeek)).not.toContain(4);
    const all = slots(estimateWith(never), wishes({ count: 50, minGapMinutes: 0 }));
    expect(all[0]).toMatchObject({ hourOfWeek: 4, score: 150 });
  });

  test('keep the minimum gap to each other and to planned posts', () => {
    const estimate = estimateWith({ 18: { score: 150 }, 17: { score: 149 }, 16: { score: 148 }, 14: { score: 147 } });
    const planned = [at('2026-10-25T15:30:00Z')];
    const hours = slots(estimate, wishes({ count: 3 }), planned).map((slot) => slot.hourOfWeek);
    expect(hours.slice(0, 2)).toEqual([14, 0]);
    const all = slots(estimate, wishes({ count: 50, minGapMinutes: 0 }));
    expect(new Set(all.map((slot) => slot.at)).size).toBe(24);
  });

  test('omit hours that clocks skip, and contain repeated hours once', () => {
    const everything = { count: 50, minGapMinutes: 0 };
    const back = slots(estimateWith({}), wishes(everything));
    expect(back.filter((slot) => slot.hourOfWeek === 2)).toHaveLength(1);
    const window = { from: at('2026-03-28T23:00:00Z'), to: at('2026-03-29T21:59:59Z') };
    const ahead = slots(estimateWith({}), wishes({ ...everything, window }));
    expect(ahead.filter((slot) => slot.hourOfWeek === 2)).toHaveLength(0);
    expect(ahead).toHaveLength(23);
  });

  test('start on full local hours, even where UTC offsets and clock changes are not whole hours', () => {
    const wanted = wishes({
      count: 50,
      minGapMinutes: 0,
      window: { from: at('2026-10-03T12:05:00Z'), to: at('2026-10-03T18:00:00Z') },
    });
    // Lord Howe Island sets its clocks forward from +10:30 to +11:00 at 2:00, which is 15:30 UTC.
    expect(instants(slots(estimateWith({}), wanted, [], 'Australia/Lord_Howe')).sort()).toEqual([
      '2026-10-03T12:30:00.000Z',
      '2026-10-03T13:30:00.000Z',
      '2026-10-03T14:30:00.000Z',
      '2026-10-03T16:00:00.000Z',
      '2026-10-03T17:00:00.000Z',
      '2026-10-03T18:00:00.000Z',
    ]);
  });

  const ONE_HOUR = 'Mon,Tue,Wed,Thu,Fri,Sat,Sun 1-23';

  test('are one per week if only one hour per week is allowed', () => {
    const window = { from: at('2026-10-05T00:00:00Z'), to: at('2026-11-02T00:00:00Z') };
    const excluded = readExclusions(ONE_HOUR) ?? new Set<number>();
    const wanted = wishes({ window, excluded });
    const found = slots(estimateWith({}), wanted, [], 'UTC');
    expect(instants(found).map((text) => text.slice(0, 10))).toEqual([
      ...['2026-10-11', '2026-10-18', '2026-10-25', '2026-11-01'],
    ]);
  });

  test.each([
    [60 * 24 * 60, ONE_HOUR],
    [60 * 24 * 60, 'Mon,Tue,Wed,Thu,Fri,Sat,Sun'],
    [60 * 24 * 60, 'Sun'],
    [0, ''],
  ])(
    'depend on less than a year of planned posts with a gap of %d minutes and "%s" excluded',
    (minGapMinutes, exclude) => {
      const from = at('2026-10-05T00:00:00Z');
      const window = { from, to: from + 60 * 24 * HOUR };
      const excluded = readExclusions(exclude) ?? new Set<number>();
      const around = plannedWindow(wishes({ window, count: 50, minGapMinutes, excluded }));
      expect(around.to - around.from).toBeLessThan(365 * 24 * HOUR);
    },
  );

  test.each([
    ['in UTC', 'UTC', {}, {}],
    ['in Berlin with the night excluded', 'Europe/Berlin', { exclude: '22-7' }, {}],
    ['in Berlin with a minimum gap of three hours', 'Europe/Berlin', { minGapMinutes: 180 }, {}],
    ['in Kathmandu with ten slots', 'Asia/Kathmandu', { count: 10 }, {}],
    [
      'with four good hours in a row',
      'UTC',
      {},
      { 65: { score: 150 }, 66: { score: 130 }, 67: { score: 140 }, 68: { score: 135 } },
    ],
  ] as const)('keep their times while the window advances, until they have passed: %s', (_, zone, some, good) => {
    const { exclude = '', ...others }: { exclude?: string; count?: number; minGapMinutes?: number } = some;
    const found = estimateWith(good);
    const excluded = readExclusions(exclude) ?? new Set<number>();
    let earlier: readonly number[] = [];
    for (let now = at('2026-10-04T00:00:00Z'); now < at('2026-10-10T00:00:00Z'); now += 37 * 60_000) {
      const window = { from: now, to: now + 7 * 24 * HOUR };
      const suggested = slots(found, wishes({ ...others, excluded, window }), [], zone);
      // If some hours have high scores, only slots in these hours are compared, because the other slots only fill up
      // the list and move with the window.
      const times = suggested
        .filter(({ score }) => Object.keys(good).length === 0 || score > 100)
        .map((slot) => slot.at);
      for (const time of earlier) if (time >= now) expect(times).toContain(time);
      expect(times.length).toBeGreaterThan(0);
      const rising = times.toSorted((one, other) => one - other);
      for (const [index, time] of rising.entries())
        if (index > 0)
          expect(time - (rising[index - 1] ?? 0)).toBeGreaterThanOrEqual((others.minGapMinutes ?? 120) * 60_000);
      earlier = times;
    }
  });

  test('with a minimum gap of eight days are not delayed by a slot that has already passed', () => {
    const estimate = estimateWith({ 114: { score: 150 } });
    const from = at('2026-10-09T12:00:00Z');
    const [first] = slots(
      estimate,
      wishes({ window: { from, to: from + 30 * 24 * HOUR }, minGapMinutes: 60 * 24 * 8 }),
      [],
      'UTC',
    );
    // The slot on Thursday 8 October has passed, so it must not push this one a week back.
    expect(new Date(first?.at ?? 0).toISOString()).toBe('2026-10-15T18:00:00.000Z');
  });
});

test('exclusions are days, hours or both, and may cross midnight and the end of the week', () => {
  const read = (text: string) => [...(readExclusions(text) ?? ['refused'])];
  expect(read('Sunday')).toEqual(Array.from({ length: 24 }, (_, hour) => hour));
  expect(read('mon 0-2')).toEqual([24, 25, 26]);
  expect(read('Sat 22-1, Mon 7')).toEqual([166, 167, 0, 1, 31]);
  expect(read('5')).toHaveLength(7);
  for (const text of [
    '',
    ',',
    'Noday',
    'Mon 24',
    'Mon 1-24',
    'Mon 1.5',
    'Mon -1',
    'Mon 1-',
    '1 Mon',
    'Sun'.repeat(400),
  ])
    expect([text, readExclusions(text)]).toEqual([text, null]);
});

test('the slot window is a week from now by default, and reaches at most 60 days ahead', () => {
  const day = 24 * HOUR;
  const now = at('2026-10-05T00:00:00Z');
  expect(slotWindow({}, now)).toEqual({ from: now, to: now + 7 * day });
  expect(slotWindow({ from: now - day, to: now + day }, now)).toEqual({ from: now, to: now + day });
  expect(slotWindow({ from: now + 55 * day }, now)).toEqual({ from: now + 55 * day, to: now + 60 * day });
  expect(slotWindow({ to: now + 60 * day + 1 }, now)).toMatchObject({ field: 'to' });
  expect(slotWindow({ to: now + 61 * day - 1 }, now, true)).toEqual({ from: now, to: now + 60 * day });
  expect(slotWindow({ to: now + 61 * day + 1 }, now, true)).toMatchObject({ field: 'to' });
  expect(slotWindow({ from: now + 61 * day }, now)).toMatchObject({ field: 'from' });
  expect(slotWindow({ to: now - 1 }, now)).toMatchObject({ field: 'to' });
});
