import { sized } from '../../support/long.ts';

/**
 * Selects some of the cases. This is enough, because the same code of the service handles them for every field or
 * operation. Each field or operation gets a different selection, and `npm run test:long` tests all cases.
 */
export function someOf<Case>(all: readonly Case[], nth: number, count: number): readonly Case[] {
  const start = (nth * count) % all.length;
  return sized([...all, ...all].slice(start, start + count), all);
}
