import { expect, test } from 'bun:test';
import { reorder } from '../../src/posts/composer/reorder.ts';

test.each([
  [['c'], 'a', 'before', 'cab'],
  [['a'], 'c', 'after', 'bca'],
  [['c', 'a'], 'b', 'after', 'bac'],
  [['a'], 'a', 'after', 'abc'],
] as const)('reordering a, b and c: %p dropped on %s (%s it) gives %s', (moved, target, position, order) => {
  expect(reorder(['a', 'b', 'c'], moved, target, position).join('')).toBe(order);
});
