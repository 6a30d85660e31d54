import { sized } from '../../support/long.ts';

/**
 * Selects some of the cases. These are enough, because the service handles the cases of every field or operation with
 * the same code. Each field or operation gets a different selection, and `npm run test:long` tests all cases.
 */
export function someOf<Case>(all: readonly Case[], nth: number, count: number): readonly Case[] {
  const start = (nth * count) % all.length;
  return sized([...all, ...all].slice(start, start + count), all);
}
