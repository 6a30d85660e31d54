import { expect, test } from 'bun:test';
import { mayTakeLease } from '../../src/index.ts';

test.each([
  ['may take a free lease', null, true],
  ['may take its own lease again', { owner: 'one', until: 20 }, true],
  ["can't take another owner's lease", { owner: 'two', until: 11 }, false],
  ["may take another owner's lease that ends now", { owner: 'two', until: 10 }, true],
  ["may take another owner's expired lease", { owner: 'two', until: 9 }, true],
])('an owner %s', (_, held, answer) => {
  expect(mayTakeLease(held, 'one', 10)).toBe(answer);
});
