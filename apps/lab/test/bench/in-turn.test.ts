import { expect, test } from 'bun:test';
import { inTurn, spreadOf } from '../../src/bench/in-turn.ts';

test('the two sides run in turn, after a round that does not count', async () => {
  const calls: string[] = [];
  const answers = { ours: [1, 10, 20, 30], limit: [1, 20, 80, 40] };
  const side = (name: 'ours' | 'limit') => async () => {
    calls.push(name);
    return answers[name].shift() ?? Number.NaN;
  };
  const compared = await inTurn(3, side('ours'), side('limit'));
  expect(calls).toEqual(['ours', 'limit', 'ours', 'limit', 'limit', 'ours', 'ours', 'limit']);
  expect(compared).toEqual({
    ours: { median: 20, lowest: 10, highest: 30 },
    limit: { median: 40, lowest: 20, highest: 80 },
    ratio: { median: 0.5, lowest: 0.25, highest: 0.75 },
  });
});

test('the median of an even number of values lies between the middle two', () => {
  expect(spreadOf([4, 1, 3, 2]).median).toBe(2.5);
  expect(() => spreadOf([])).toThrow(RangeError);
});
