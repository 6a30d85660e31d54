import { expect, test } from 'bun:test';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { ConcurrencyLimit } from '../../../src/operations/presign/receive.ts';

test('a ConcurrencyLimit runs at most the given number of tasks per name concurrently', async () => {
  const underWay = new ConcurrencyLimit(2);
  const gates = [Promise.withResolvers<string>(), Promise.withResolvers<string>()] as const;
  const working = gates.map(({ promise }) => underWay.run('one', () => promise));
  expect(await underWay.run('one', async () => 'third')).toBeNull();
  expect(await underWay.run('two', async () => 'other')).toEqual({ result: 'other' });
  gates[0].resolve('first');
  expect(await working[0]).toEqual({ result: 'first' });
  expect(await underWay.run('one', async () => 'next')).toEqual({ result: 'next' });
  gates[1].reject(new Error('failed'));
  expect(await outcomeOf(working[1])).toThrow('failed');
  const both = [1, 2].map((number) => underWay.run('one', async () => number));
  expect(await Promise.all(both)).toEqual([{ result: 1 }, { result: 2 }]);
});
