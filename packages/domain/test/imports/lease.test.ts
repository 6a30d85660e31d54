import { expect, test } from 'bun:test';
import { mayTakeLease } from '../../src/index.ts';

test.each([
  ['held by nobody', null, true],
  ['its own', { owner: 'one', until: 20 }, true],
  ["another's", { owner: 'two', until: 11 }, false],
  ["another's that ends now", { owner: 'two', until: 10 }, true],
  ["another's that has ended", { owner: 'two', until: 9 }, true],
])('an owner requests a lease that is %s', (_, held, answer) => {
  expect(mayTakeLease(held, 'one', 10)).toBe(answer);
});
