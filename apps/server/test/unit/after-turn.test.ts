import { expect, test } from 'bun:test';
import { afterTurn } from '../../src/http/after-turn.ts';

test('what happens in one turn is done behind it, in its order', async () => {
  const done: string[] = [];
  const act = afterTurn((event: string) => done.push(event));
  act('first');
  await Promise.resolve();
  act('second');
  expect(done).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toEqual(['first', 'second']);
});
