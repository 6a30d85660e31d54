import { sized } from '../../support/long.ts';

/**
 * Of cases that one place of the service tells apart, some for the nth field or operation and other ones for the next;
 * all of them in `npm run test:long`.
 */
export function someOf<Case>(all: readonly Case[], nth: number, count: number): readonly Case[] {
  const start = (nth * count) % all.length;
  return sized([...all, ...all].slice(start, start + count), all);
}
