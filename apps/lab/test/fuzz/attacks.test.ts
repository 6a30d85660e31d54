import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { forEachAtOnce, sized, startStopwatch, until } from '@postshelf/harness';
import { hasPrograms } from '@postshelf/testing/programs';
import { readCorpus } from '../../src/fuzz/corpus.ts';
import { play } from '../../src/fuzz/play.ts';
import { checkUp, leftovers } from '../../src/fuzz/service/check-up.ts';
import { ChildWatch } from '../../src/fuzz/service/children.ts';
import { World } from '../../src/fuzz/service/world.ts';
import { TARGETS } from '../../src/fuzz/targets/targets.ts';
import { BOMBS, ENCODED_BOMBS, SLOW_BOMBS, uploadBomb } from './support/bombs.ts';
import { descriptorsOf, SlowClients } from './support/slow-clients.ts';

/** Cases of the corpus that are played at once. */
const AT_ONCE = 8;
/** Milliseconds of a stopwatch until a bomb's answer. A cover may take 15 seconds. */
const MAX_ANSWER = 60_000;
/** Bytes: what ffmpeg may have is 1 GiB of address space. */
const MAX_CHILD = 1024 ** 3;

/** One service for all attacks. The clients that don't read hold on from the first to the last. */
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

/** What was found by `npm run fuzz`, one case for each answer that it got (docs/reliability.md, "Abuse"). */
describe('the corpus', () => {
  test.each(Object.keys(TARGETS))('%s', async (target) => {
    const all = await readCorpus(target);
    // Neighbours are variants of each other.
    const kept = all.filter((_, index) => index % sized(3, 1) === 0);
    expect(kept.length).toBeGreaterThan(0);
    await forEachAtOnce(kept, AT_ONCE, async ({ signature, case: given }) => {
      const { complaints } = await play(world, given);
      expect({ signature, complaints }).toEqual({ signature, complaints: [] });
    });
    expect(await checkUp(world)).toEqual([]);
  });
});

describe('a decompression bomb costs little, and has the details that it claims', () => {
  const encoded = hasPrograms(['ffmpeg'], 'bombs that ffmpeg encodes')
    ? [...ENCODED_BOMBS, ...sized([], [...SLOW_BOMBS])]
    : [];
  test.each([...BOMBS, ...encoded])('%s', async (_, make, facts) => {
    const bomb = await make();
    await using children = new ChildWatch(world.program.pid);
    using stopwatch = startStopwatch();
    expect(await uploadBomb(world, bomb)).toMatchObject(
      facts === null ? { status: 422 } : { status: 201, answer: { data: [facts] } },
    );
    expect(stopwatch.elapsed()).toBeLessThan(MAX_ANSWER);
    expect(children.peak).toBeLessThan(MAX_CHILD);
    // Also those that the cases before it have started.
    await until('no child is left', async () => (await children.running()).length === 0);
    expect(await checkUp(world)).toEqual([]);
  });
});

describe('slow clients', () => {
  test('that send slowly block no other client, and are answered or disconnected', async () => {
    const senders = await slow.send();
    await slow.useNormally();
    await slow.until('all who send are answered or hung up on', () => senders.every(({ isOver }) => isOver));
    const statuses = new Set(senders.map(({ status }) => status));
    // Too slow (RFC 9110 section 15.5.9), too many uploads at once, or a head that never ended.
    expect([...statuses].filter((status) => ![408, 503, null].includes(status))).toEqual([]);
    expect(statuses).toContain(408);
  });

  test('that do not read are disconnected', async () => {
    await slow.until('all files and connections are closed', () => descriptorsOf(world.program.pid) <= descriptors + 5);
    expect(await checkUp(world)).toEqual([]);
  });
});

test('nothing is left over', async () => expect(await leftovers(world)).toEqual([]));
