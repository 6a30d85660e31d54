import { expect, test } from 'bun:test';
import { judge, mean } from '../../src/bench/best-times/judge.ts';
import { NO_EFFECT, nameOf, ROWS } from '../../src/bench/best-times/rows.ts';

/** The number of worlds; `npm run bench -- best-times` uses 200. */
const WORLDS = 8;

test('in simulated worlds, suggested times reach most of the possible gain, and intervals are calibrated', () => {
  const verdicts = ROWS.map((row) => ({ row, ...judge(row, WORLDS) }));
  const regret = mean(verdicts.map((one) => one.regret));
  expect(regret).toBeLessThan(0.34);
  expect(regret).toBeLessThan(0.75 * mean(verdicts.map((one) => one.naiveRegret)));
  // With so few worlds, the regret of one row may exceed its limit by chance.
  const strays = verdicts.filter(({ row, regret: own }) => own > row.regret + 0.1).map(({ row }) => nameOf(row));
  expect(strays.length, strays.join()).toBeLessThanOrEqual(1);
  expect(mean(verdicts.map(({ held }) => held))).toBeWithin(0.88, 0.99);
  expect(mean(verdicts.map(({ below }) => below))).toBeLessThan(0.08);
  expect(mean(verdicts.map(({ rootMeanSquareError }) => rootMeanSquareError))).toBeLessThan(16.5);
});

test('in simulated worlds where the hour has no effect, hardly any evidence is found', () => {
  const verdicts = NO_EFFECT.filter(({ posts }) => posts === 200 || posts === 500).map((kind) => judge(kind, 3));
  expect(mean(verdicts.map(({ fair }) => fair))).toBeLessThan(0.05);
  expect(mean(verdicts.map(({ strong }) => strong))).toBeLessThan(0.02);
});
