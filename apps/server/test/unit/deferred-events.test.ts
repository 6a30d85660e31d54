import { expect, test } from 'bun:test';
import { deferEvents } from '../../src/http/deferred-events.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('tasks of one turn are run after it, in order, once', async () => {
  const done: string[] = [];
  const events = deferEvents((event: string) => done.push(event));
  events.add('first');
  await Promise.resolve();
  events.add('second');
  expect(done).toEqual([]);
  await turn();
  await turn();
  expect(done).toEqual(['first', 'second']);
});

test('a caller that needs the result runs them at once', async () => {
  const done: string[] = [];
  const events = deferEvents((event: string) => done.push(event));
  events.add('first');
  events.settle();
  expect(done).toEqual(['first']);
  events.add('second');
  await turn();
  expect(done).toEqual(['first', 'second']);
});
