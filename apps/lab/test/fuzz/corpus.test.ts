import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readCorpus } from '../../src/fuzz/corpus.ts';
import { play } from '../../src/fuzz/play.ts';
import { checkUp, leftovers } from '../../src/fuzz/service/check-up.ts';
import { World } from '../../src/fuzz/service/world.ts';
import { TARGETS } from '../../src/fuzz/targets/targets.ts';

/** Far more than it takes, for machines that are busy with much else. */
const TIMEOUT_MS = 300_000;

let world: World;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());

/** What was found by `npm run fuzz`, one case for each answer that it got (docs/reliability.md, "Abuse"). */
describe('the corpus', () => {
  for (const target of Object.keys(TARGETS)) {
    test(
      target,
      async () => {
        const kept = await readCorpus(target);
        expect(kept.length).toBeGreaterThan(0);
        for (const { signature, case: given } of kept) {
          const { complaints } = await play(world, given);
          expect({ signature, complaints }).toEqual({ signature, complaints: [] });
        }
        expect(await checkUp(world)).toEqual([]);
      },
      TIMEOUT_MS,
    );
  }

  test('leaves nothing behind', async () => expect(await leftovers(world)).toEqual([]), TIMEOUT_MS);
});
