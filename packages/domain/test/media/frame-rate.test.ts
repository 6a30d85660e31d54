import { expect, test } from 'bun:test';
import { nominalRate } from '../../src/media/frame-rate.ts';

test.each([
  [60.004, 60],
  [59.88, 59.94],
  [59.941, 59.94],
  [24_000 / 1001, 23.976],
  [23.99, 24],
  [30.045, 30],
  [25.02, 25],
  [60.2, 60.2],
  [22.999, 22.999],
  [12.5, 12.5],
])('a rate of %d frames per second stands for %d', (measured, nominal) => {
  expect(nominalRate(measured)).toBe(nominal);
});
