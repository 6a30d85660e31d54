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
  evidence: 'strong',
});

/** Sunday 25 October 2026, on which Berlin sets its clocks back at 3:00. */
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
  test('are the best hours first, proven ones above 100 with certainty, and one of five explores', () => {
    const estimate = estimateWith({
      18: { score: 144, low: 120 },
      12: { score: 130, low: 95 },
      3: { high: 300, posts: 0 },
    });
    const found = slots(estimate, wishes());
    expect(found.map(({ hourOfWeek, kind }) => [hourOfWeek, kind]).slice(0, 2)).toEqual([
      [18, 'proven'],
      [12, 'explore'],
    ]);
    expect(found[0]?.reason).toBe('Probably 44% above average (3 posts in this hour).');
    expect(found[1]?.reason).toBe('Possibly 30% above average, but not certain yet (3 posts in this hour).');
    expect(found.at(-1)).toMatchObject({ hourOfWeek: 3, reason: 'Too few posts at this hour to tell: worth a try.' });
  });

  test('keep the gap to each other and to planned posts', () => {
    const estimate = estimateWith({ 18: { score: 150 }, 17: { score: 149 }, 16: { score: 148 }, 14: { score: 147 } });
    const planned = [at('2026-10-25T15:30:00Z')];
    const hours = slots(estimate, wishes({ count: 3 }), planned).map((slot) => slot.hourOfWeek);
    expect(hours.slice(0, 2)).toEqual([14, 0]);
    const all = slots(estimate, wishes({ count: 50, minGapMinutes: 0 }));
    expect(new Set(all.map((slot) => slot.at)).size).toBe(24);
  });

  test('leave hours out that clocks skip, and have repeated ones once', () => {
    const everything = { count: 50, minGapMinutes: 0 };
    const back = slots(estimateWith({}), wishes(everything));
    expect(back.filter((slot) => slot.hourOfWeek === 2)).toHaveLength(1);
    const window = { from: at('2026-03-28T23:00:00Z'), to: at('2026-03-29T21:59:59Z') };
    const ahead = slots(estimateWith({}), wishes({ ...everything, window }));
    expect(ahead.filter((slot) => slot.hourOfWeek === 2)).toHaveLength(0);
    expect(ahead).toHaveLength(23);
  });

  test('start with the hour of zones with other offsets, also where clocks change by half an hour', () => {
    const wanted = wishes({
      count: 50,
      minGapMinutes: 0,
      window: { from: at('2026-10-03T12:05:00Z'), to: at('2026-10-03T18:00:00Z') },
    });
    // Lord Howe goes from +10:30 to +11:00 at 2:00, 15:30 UTC.
    expect(instants(slots(estimateWith({}), wanted, [], 'Australia/Lord_Howe')).sort()).toEqual([
      '2026-10-03T12:30:00.000Z',
      '2026-10-03T13:30:00.000Z',
      '2026-10-03T14:30:00.000Z',
      '2026-10-03T16:00:00.000Z',
      '2026-10-03T17:00:00.000Z',
      '2026-10-03T18:00:00.000Z',
    ]);
  });

  test('are spread evenly where hours make no difference, without excluded ones', () => {
    const window = { from: at('2026-10-05T00:00:00Z'), to: at('2026-10-12T00:00:00Z') };
    const none: Estimate = { ...estimateWith({ 18: { score: 150, low: 140 } }), evidence: 'none' };
    const excluded = readExclusions('12-13') ?? new Set<number>();
    const found = slots(none, wishes({ window, count: 7, excluded }), [], 'UTC');
    expect(found.map((slot) => slot.kind)).toEqual(Array.from({ length: 7 }, () => 'explore'));
    for (const [day, slot] of found.entries()) {
      expect(Math.abs(slot.at - (window.from + (day * 24 + 12) * HOUR))).toBeLessThanOrEqual(2 * HOUR);
      expect([12, 13]).not.toContain(slot.hourOfWeek % 24);
    }
  });

  const ONE_HOUR = 'Mon,Tue,Wed,Thu,Fri,Sat,Sun 1-23';

  test('are one a week if there is one hour a week', () => {
    const window = { from: at('2026-10-05T00:00:00Z'), to: at('2026-11-02T00:00:00Z') };
    const excluded = readExclusions(ONE_HOUR) ?? new Set<number>();
    const wanted = wishes({ window, excluded });
    const found = slots({ ...estimateWith({}), evidence: 'none' }, wanted, [], 'UTC');
    expect(instants(found).map((text) => text.slice(0, 10))).toEqual([
      ...['2026-10-11', '2026-10-18', '2026-10-25', '2026-11-01'],
    ]);
  });

  test.each([
    [60 * 24 * 60, ONE_HOUR],
    [60 * 24 * 60, 'Mon,Tue,Wed,Thu,Fri,Sat,Sun'],
    [60 * 24 * 60, 'Sun'],
    [0, ''],
  ])('with a gap of %d minutes and without "%s" look at less than a year', (minGapMinutes, exclude) => {
    const from = at('2026-10-05T00:00:00Z');
    const window = { from, to: from + 60 * 24 * HOUR };
    const excluded = readExclusions(exclude) ?? new Set<number>();
    const around = plannedWindow(wishes({ window, count: 50, minGapMinutes, excluded }));
    expect(around.to - around.from).toBeLessThan(365 * 24 * HOUR);
  });

  test.each([
    ['UTC', {}, 'none'],
    ['Europe/Berlin', { exclude: '22-7' }, 'none'],
    ['Europe/Berlin', { exclude: '18-8,Sat,Sun' }, 'none'],
    ['Europe/Berlin', { minGapMinutes: 2880 }, 'none'],
    ['Asia/Kolkata', { count: 10, minGapMinutes: 1440 }, 'none'],
    ['Asia/Kathmandu', {}, 'none'],
    ['UTC', {}, 'strong'],
  ] as const)('in %s with %o and evidence %s stay where they are until they have passed', (zone, some, evidence) => {
    const { exclude = '', ...others }: { exclude?: string; count?: number; minGapMinutes?: number } = some;
    const good = { 65: { score: 150 }, 66: { score: 130 }, 67: { score: 140 }, 68: { score: 135 } };
    const found: Estimate = { ...estimateWith(good), evidence };
    const excluded = readExclusions(exclude) ?? new Set<number>();
    let earlier: readonly number[] = [];
    for (let now = at('2026-10-05T00:00:00Z'); now < at('2026-10-19T00:00:00Z'); now += 37 * 60_000) {
      const window = { from: now, to: now + 7 * 24 * HOUR };
      const suggested = slots(found, wishes({ ...others, excluded, window }), [], zone);
      // With evidence the good hours alone.
      const times = suggested.filter(({ score }) => evidence === 'none' || score > 100).map((slot) => slot.at);
      for (const time of earlier) if (time >= now) expect(times).toContain(time);
      expect(times.length).toBeGreaterThan(0);
      const rising = times.toSorted((one, other) => one - other);
      for (const [index, time] of rising.entries())
        if (index > 0)
          expect(time - (rising[index - 1] ?? 0)).toBeGreaterThanOrEqual((others.minGapMinutes ?? 120) * 60_000);
      earlier = times;
    }
  });
});

test('exclusions are days, hours or both, over midnight and the end of the week, too', () => {
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

test('the window is a week from now, and at most 60 days ahead', () => {
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
