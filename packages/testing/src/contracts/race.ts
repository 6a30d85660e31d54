import { test } from 'bun:test';
import type { OpenedStores, Stores } from './stores.ts';

/**
 * Number of runs of each race. There are several, because a race's outcome depends on timing. `npm run test:long` runs
 * more.
 */
export const ROUNDS = process.env.POSTSHELF_TEST_LONG === '1' ? 50 : 4;

/** Makes both calls concurrently, the first on one instance and the second on the other, and returns both results. */
export type Race = <First, Second>(
  first: (of: Stores) => Promise<First>,
  second: (of: Stores) => Promise<Second>,
) => Promise<readonly [First, Second]>;

/** Declares a test whose body runs once for every round. */
export function testRace(
  stores: Pick<OpenedStores, 'one' | 'two'>,
  title: string,
  run: (race: Race, round: number) => Promise<void>,
): void {
  test(title, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await run(async (first, second) => {
        if (round % 2 === 0) return Promise.all([first(stores.one), second(stores.two)]);
        const [secondAnswer, firstAnswer] = await Promise.all([second(stores.two), first(stores.one)]);
        return [firstAnswer, secondAnswer];
      }, round);
    }
  });
}
