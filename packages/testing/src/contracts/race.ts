import type { OpenedStores, Stores } from './stores.ts';

/** How often each race is run; who is called first alternates. */
export const ROUNDS = 10;

/** Calls both at once, the first on `one`, the second on `two`, and answers what both answered, in that order. */
export async function race<T>(
  { one, two }: Pick<OpenedStores, 'one' | 'two'>,
  round: number,
  first: (of: Stores) => Promise<T>,
  second: (of: Stores) => Promise<T>,
): Promise<readonly [T, T]> {
  if (round % 2 === 0) return Promise.all([first(one), second(two)]);
  const [secondAnswer, firstAnswer] = await Promise.all([second(two), first(one)]);
  return [firstAnswer, secondAnswer];
}
