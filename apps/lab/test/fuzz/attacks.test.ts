import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { forEachConcurrently, sized, startStopwatch, until } from '@postshelf/harness';
import { hasPrograms } from '@postshelf/testing/programs';
import { readCorpus } from '../../src/fuzz/corpus.ts';
import { play } from '../../src/fuzz/play.ts';
import { checkUp, leftovers } from '../../src/fuzz/service/check-up.ts';
import { ChildWatch } from '../../src/fuzz/service/children.ts';
import { World } from '../../src/fuzz/service/world.ts';
import { TARGETS } from '../../src/fuzz/targets/targets.ts';
import { BOMBS, ENCODED_BOMBS, SLOW_BOMBS, uploadBomb } from './support/bombs.ts';
import { descriptorsOf, SlowClients } from './support/slow-clients.ts';

/** Number of cases of the corpus that are played concurrently. */
const CONCURRENCY = 8;
/** Maximum milliseconds until a bomb is answered, including up to 15 seconds for a cover. */
const MAX_ANSWER = 60_000;
/** Maximum memory of a child process in bytes. ffmpeg is limited to 1 GiB of address space. */
const MAX_CHILD = 1024 ** 3;

/** One service for all attacks. The clients that don't read stay connected from the first test to the last. */
let world: World;
let slow: SlowClients;
let descriptors: number;

beforeAll(async () => {
  world = await World.open();
  descriptors = descriptorsOf(world.program.pid);
  slow = await SlowClients.open(world);
});
afterAll(async () => {
  slow[Symbol.dispose]();
  await world[Symbol.asyncDispose]();
});

/**
 * The corpus consists of requests that `npm run fuzz` found, one for each distinct answer (docs/reliability.md,
 * "Abuse").
 */
describe('the fuzzing corpus', () => {
  test.each(Object.keys(TARGETS))('every case of the target %s gets a correct answer', async (target) => {
    const all = await readCorpus(target);
    // The short form plays only every third case. Neighbouring cases are similar, so little is lost.
    const kept = all.filter((_, index) => index % sized(3, 1) === 0);
    expect(kept.length).toBeGreaterThan(0);
    await forEachConcurrently(kept, CONCURRENCY, async ({ signature, case: given }) => {
      const { complaints } = await play(world, given);
      expect({ signature, complaints }).toEqual({ signature, complaints: [] });
    });
    expect(await checkUp(world)).toEqual([]);
  });
});

describe('decompression bombs', () => {
  const encoded = hasPrograms(['ffmpeg'], 'bombs that ffmpeg encodes')
    ? [...ENCODED_BOMBS, ...sized([], [...SLOW_BOMBS])]
    : [];
  test.each([...BOMBS, ...encoded])('%s gets the right answer in limited time and memory', async (_, make, facts) => {
    const bomb = await make();
    await using children = new ChildWatch(world.program.pid);
    using stopwatch = startStopwatch();
    expect(await uploadBomb(world, bomb)).toMatchObject(
      facts === null ? { status: 422 } : { status: 201, answer: { data: [facts] } },
    );
    expect(stopwatch.elapsed()).toBeLessThan(MAX_ANSWER);
    expect(children.peak).toBeLessThan(MAX_CHILD);
    // Children of earlier cases must have ended as well.
    await until('no child is left', async () => (await children.running()).length === 0);
    expect(await checkUp(world)).toEqual([]);
  });
});

describe('slow clients', () => {
  test('slow senders block no other client, and are answered or disconnected', async () => {
    const senders = await slow.send();
    await slow.useNormally();
    await slow.until('all senders are answered or disconnected', () => senders.every(({ isOver }) => isOver));
    const statuses = new Set(senders.map(({ status }) => status));
    // Allowed are 408 for a sender that is too slow (RFC 9110 section 15.5.9), 503 for too many concurrent uploads, and
    // no status if the request's head never ended.
    expect([...statuses].filter((status) => ![408, 503, null].includes(status))).toEqual([]);
    expect(statuses).toContain(408);
  });

  test('clients that do not read their responses are disconnected', async () => {
    await slow.until('all files and connections are closed', () => descriptorsOf(world.program.pid) <= descriptors + 5);
    expect(await checkUp(world)).toEqual([]);
  });
});

test('the attacks leave no unfinished items, staged bytes or stray objects', async () =>
  expect(await leftovers(world)).toEqual([]));
