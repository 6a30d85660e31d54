import { sized } from '../../support/long.ts';

/**
 * Selects some of the cases that the service distinguishes in one place. Each field or operation gets different
 * ones, and `npm run test:long` has all of them.
 */
export function someOf<Case>(all: readonly Case[], nth: number, count: number): readonly Case[] {
  const start = (nth * count) % all.length;
  return sized([...all, ...all].slice(start, start + count), all);
}
