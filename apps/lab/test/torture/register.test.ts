import { expect, test } from 'bun:test';
import { Register } from '../../src/torture/ledger/register.ts';

test('an acknowledged write rules out the previous value', () => {
  const register = new Register('a');
  register.begin('b').acknowledge();
  expect(register.possible).toEqual(['b']);
  expect([register.is('b'), register.allows('a')]).toEqual([true, false]);
});

test('an unanswered write may take effect even after a later write is acknowledged', () => {
  const register = new Register('a');
  register.begin('b');
  expect(register.possible).toEqual(['a', 'b']);
  register.begin('c').acknowledge();
  expect(register.possible).toEqual(['b', 'c']);
});

test('either of two concurrent writes may have been the last', () => {
  const register = new Register('a');
  const [first, second] = [register.begin('b'), register.begin('c')];
  second.acknowledge();
  first.acknowledge();
  expect(register.possible).toEqual(['b', 'c']);
  register.begin('d').acknowledge();
  expect(register.possible).toEqual(['d']);
});

test('a refused write changes nothing', () => {
  const register = new Register(false);
  register.begin(true).refuse();
  expect(register.possible).toEqual([false]);
});

test('a value that was read rules out all others', () => {
  const register = new Register('a');
  register.begin('b');
  register.settle('a');
  expect(register.is('a')).toBe(true);
});
