import { expect, test } from 'bun:test';
import {
  type Estimate,
  estimate,
  learntWindow,
  localHours,
  type MeasuredPost,
  suggestSlots,
  type Uuid,
} from '../../src/index.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 9, 5);
const profileId = '0190a1b2-0000-7000-8000-000000000001' as Uuid;
const hours = localHours('UTC');

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** 500 posts in a year, of a log-normal engagement with a deviation of 0.3. */
function world(random: () => number, effect: (hour: number) => number): readonly MeasuredPost[] {
  const { from, to } = learntWindow(NOW);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Array.from({ length: 500 }, () => {
    const at = Math.floor(from + random() * (to - from));
    return { profileId, at, engagement: Math.round(200 * effect(hours.at(at)) * Math.exp(0.3 * normal())) };
  });
}

const WORLDS = 25;

const estimates = (effect: (hour: number) => number): readonly Estimate[] =>
  Array.from({ length: WORLDS }, (_, seed) => estimate(world(randomFrom(seed + 1), effect), hours));

test('worlds without any effect give no evidence, or a weak one', () => {
  const sure = estimates(() => 1).filter(({ evidence }) => evidence === 'fair' || evidence === 'strong');
  expect(sure.length).toBeLessThanOrEqual(2);
});

test('three hours of the day that are 30 % better are among the suggested ones, and intervals hold 85 to 95 % of truths', () => {
  const better = [8, 13, 19];
  const effect = (hour: number): number => (better.includes(hour % 24) ? 1.3 : 1);
  const window = { from: NOW, to: NOW + 168 * HOUR };
  const wishes = { window, count: 5, minGapMinutes: 120, excluded: new Set<number>() };
  let [found, held] = [0, 0];
  for (const one of estimates(effect)) {
    const slots = suggestSlots(one, hours, wishes, []);
    if (slots.filter((slot) => better.includes(slot.hourOfWeek % 24)).length >= 2) found += 1;
    const average = 1 + (0.3 * 3) / 24;
    held += one.hours.filter(({ low, high }, hour) => {
      const truth = (100 * effect(hour)) / average;
      return low <= truth && truth <= high;
    }).length;
  }
  expect(found).toBeGreaterThanOrEqual(0.8 * WORLDS);
  expect(held / (168 * WORLDS)).toBeGreaterThanOrEqual(0.85);
  expect(held / (168 * WORLDS)).toBeLessThanOrEqual(0.95);
});

test('one boosted post makes no hour, and the same posts give the same estimate', () => {
  const posts = world(randomFrom(99), () => 1);
  const [first, ...others] = posts;
  if (!first) throw new Error('no post');
  const boosted = [{ ...first, engagement: 10_000_000 }, ...others];
  const { hours: cells, evidence } = estimate(boosted, hours);
  expect(cells[hours.at(first.at)]?.score).toBeLessThan(110);
  expect(estimate(boosted, hours)).toEqual({ hours: cells, evidence, posts: 500 });
});

test('nothing, one post and posts without engagement are no evidence and average', () => {
  const silent = world(randomFrom(1), () => 0);
  for (const posts of [[], silent.slice(0, 1), silent]) {
    const { hours: cells, evidence } = estimate(posts, hours);
    expect(evidence).toBe('none');
    for (const { score, low, high } of cells) {
      expect(Math.abs(score - 100)).toBeLessThan(1);
      expect(low < 100 && high > 100).toBe(true);
    }
  }
});
