import { expect, test } from 'bun:test';
import { HOURS_PER_WEEK } from '@postshelf/domain';
import { Random } from '@postshelf/harness';
import { rankCorrelation, regret } from '../../src/bench/estimator/scoring.ts';
import { isDaytime, WORLDS } from '../../src/bench/estimator/world.ts';

const rising = Array.from({ length: HOURS_PER_WEEK }, (_, hour) => hour + 1);
const falling = rising.toReversed();
const flat = rising.map(() => 100);

test('the true order is 1, the reverse -1, and an estimate that knows nothing 0', () => {
  expect(rankCorrelation(rising, rising)).toBeCloseTo(1);
  expect(rankCorrelation(rising.map(Math.sqrt), rising)).toBeCloseTo(1);
  expect(rankCorrelation(falling, rising)).toBeCloseTo(-1);
  expect(rankCorrelation(flat, rising)).toBe(0);
});

test('nothing is lost at the best hour, and the mean of all where all are called best', () => {
  expect(regret(rising, rising)).toBe(0);
  expect(regret(falling, rising)).toBeGreaterThan(0.9);
  expect(
    regret(
      flat,
      rising.map((_, hour) => (hour % 24 < 15 ? 1 : 2)),
    ),
  ).toBeCloseTo(0.25);
});

test('nights, when nobody posts, count for nothing', () => {
  const wrongByNight = rising.map((value, hour) => (isDaytime(value, hour) ? value : 1000 - value));
  expect(rankCorrelation(wrongByNight, rising)).toBeCloseTo(1);
  expect(regret(wrongByNight, rising)).toBe(0);
});

test('a curve is a multiple of its mean, the same for the same seed', () => {
  for (const make of Object.values(WORLDS)) {
    const curve = make(new Random(1));
    expect(curve).toHaveLength(HOURS_PER_WEEK);
    expect(curve.reduce((sum, value) => sum + value, 0) / HOURS_PER_WEEK).toBeCloseTo(1);
    expect(make(new Random(1))).toEqual(curve);
    expect(make(new Random(2))).not.toEqual(curve);
  }
});
