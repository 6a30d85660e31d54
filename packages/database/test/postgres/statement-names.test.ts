import { expect, test } from 'bun:test';
import { StatementNames } from '../../src/postgres/pool.ts';

test('each statement has its own name, the same in every process', () => {
  const [names, elsewhere] = [new StatementNames(), new StatementNames()];
  const first = names.of('select $1', 1);
  expect(first).toBeString();
  const second = names.of('select $1, $2', 2);
  expect(second).not.toBe(first);
  expect(names.of('select $1', 1)).toBe(first);
  expect(elsewhere.of('select $1, $2', 2)).toBe(second);
  expect(elsewhere.of('select $1', 1)).toBe(first);
});

test('statements with no parameters or with too many get no name', () => {
  const names = new StatementNames();
  expect(names.of('begin', 0)).toBeNull();
  expect(names.of('select … in (…)', 33)).toBeNull();
});

test('the number of statement names is limited', () => {
  const names = new StatementNames(2);
  const [first, second] = [names.of('a', 1), names.of('b', 1)];
  expect(names.of('c', 1)).toBeNull();
  expect([names.of('a', 1), names.of('b', 1)]).toEqual([first, second]);
});
