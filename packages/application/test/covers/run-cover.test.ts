import { beforeEach, describe, expect, test } from 'bun:test';
import { type Cover, type CoverMaker, JOB_RULES, Refusal, type Uuid, type Workspace } from '@postshelf/domain';
import { addWorkspace } from '@postshelf/testing/contracts/samples';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { coverHandler, UploadBatch } from '../../src/index.ts';
import { MP4 } from '../support/files.ts';
import { claimJobs, countJobs, startRunner, type TestRunner, type TestRunnerOptions } from '../support/jobs.ts';
import { bodyOf, publishedKeys } from '../support/objects.ts';
import { unreachable } from '../support/storages.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

let world: World;
let workspace: Workspace;

beforeEach(async () => {
  const inhabited = await inhabitedWorld();
  [world, workspace] = [inhabited, inhabited.workspace];
});

/** Returns a world in which no cover gets a slot. */
const busy = (): World => ({
  ...world,
  shares: replacing(world.shares, {
    take: async () => {
      throw new Refusal({ code: 'busy', message: 'Too many covers are being made.', retryAfter: 1 });
    },
  }),
});

async function upload(ports: World, ...files: readonly [string, Uint8Array][]): Promise<readonly Uuid[]> {
  const batch = new UploadBatch(ports, workspace);
  try {
    for (const [name, bytes] of files) await batch.add(name, bodyOf(bytes));
    const stored = await batch.commit({ label: null, folderId: null });
    expect(stored.every(({ cover }) => cover === null)).toBe(true);
    return stored.map(({ item }) => item.id);
  } finally {
    await batch.discard();
  }
}

const start = (ports: World, options?: TestRunnerOptions): TestRunner =>
  startRunner(ports, [coverHandler(ports)], options);

const makeAll = (ports: World, options?: TestRunnerOptions): Promise<readonly string[]> =>
  start(ports, options).runAll();

const countDue = (): Promise<number> => countJobs(world, 'cover');

const coverOf = async (id: Uuid | undefined) => (id && (await world.media.find(id))?.cover) ?? null;

/** Returns a maker that starts a cover and doesn't finish until it is aborted. */
function endless(): CoverMaker & { readonly begun: Promise<void>; readonly ended: number } {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  let ended = 0;
  return {
    begun,
    get ended() {
      return ended;
    },
    make: (_, signal) =>
      new Promise<Cover | null>((give) => {
        resolve();
        signal?.addEventListener('abort', () => {
          ended += 1;
          give(null);
        });
      }),
  };
}

describe('a video that is uploaded while no cover slot is free', () => {
  test("gets its cover later, and waiting doesn't count as an attempt", async () => {
    const [video] = await upload(busy(), ['clip.mp4', MP4]);
    for (let round = 0; round < 10; round += 1) {
      expect(await makeAll(busy())).toEqual(['later']);
      world.clock.advance(1000);
    }
    expect(await makeAll(world)).toEqual(['made']);
    expect(await coverOf(video)).not.toBeNull();
  });
});

describe('a disconnect while a cover is made', () => {
  test('stops making the cover, and leaves nothing of the upload', async () => {
    const covers = endless();
    const leaving = new AbortController();
    const batch = new UploadBatch({ ...world, covers }, workspace, leaving.signal);
    await batch.add('clip.mp4', bodyOf(MP4));
    const committing = batch.commit({ label: null, folderId: null });
    await covers.begun;
    leaving.abort();
    expect(await outcomeOf(committing)).toThrow('malformed');
    await batch.discard();
    expect(covers.ended).toBe(1);
    expect(world.shares.figures('covers')).toMatchObject({ inUse: 0, waiting: 0 });
    expect(await countDue()).toBe(0);
    expect(await publishedKeys(world)).toEqual([]);
  });
});

describe('a cover job', () => {
  test('is not retried if no cover can be made, and the video stays without a cover', async () => {
    const [video] = await upload(busy(), ['clip.mp4', MP4]);
    expect(await makeAll({ ...world, covers: { make: async () => null } })).toEqual(['none']);
    expect(await coverOf(video)).toBeNull();
    expect(await countDue()).toBe(0);
  });

  test('is retried 1, 10, 60 and 360 minutes after faults, and then given up', async () => {
    await upload(busy(), ['clip.mp4', MP4]);
    const faulty = { ...world, covers: { make: () => Promise.reject(new Error('out of reach')) } };
    for (const minutes of [1, 10, 60, 360]) {
      expect(await makeAll(faulty)).toEqual(['fault']);
      world.clock.advance(minutes * 60_000 - 1);
      expect(await makeAll(faulty)).toEqual([]);
      world.clock.advance(1);
    }
    expect(await makeAll(faulty)).toEqual(['none']);
    expect(await countDue()).toBe(0);
  });

  test('waits for the storage during an outage of more than seven hours', async () => {
    const [video] = await upload(busy(), ['clip.mp4', MP4]);
    const storage = unreachable(world.storage);
    const end = world.clock.now() + 8 * 3_600_000;
    while (world.clock.now() < end) {
      expect(await makeAll({ ...world, storage })).toEqual(['fault']);
      world.clock.advance(600_000);
    }
    expect(await makeAll(world)).toEqual(['made']);
    expect(await coverOf(video)).not.toBeNull();
  });

  test('is put back when the process stops, and the cover maker is aborted', async () => {
    const [video] = await upload(busy(), ['clip.mp4', MP4]);
    const covers = endless();
    const { runner, ends } = start({ ...world, covers });
    await runner.runDue();
    await covers.begun;
    await runner.stop();
    expect(ends.map(({ outcome }) => outcome)).toEqual(['later']);
    expect(covers.ended).toBe(1);
    expect(await makeAll(world)).toEqual(['made']);
    expect(await coverOf(video)).not.toBeNull();
  });

  test('is retried after its process is killed, and given up if that happens too often', async () => {
    const [video] = await upload(busy(), ['clip.mp4', MP4]);
    for (let kills = 0; kills < 4; kills += 1) {
      expect(await claimJobs(world, 'cover', `${kills}`)).toHaveLength(1);
      world.clock.advance(JOB_RULES.cover.leaseTime);
    }
    const [other] = await upload(busy(), ['clip.mp4', MP4]);
    expect(await claimJobs(world, 'cover', 'killed')).toMatchObject([{ subjectId: video, claims: 5 }]);
    world.clock.advance(JOB_RULES.cover.leaseTime);
    expect((await makeAll(world)).toSorted()).toEqual(['made', 'none']);
    expect(await coverOf(video)).toBeNull();
    expect(await coverOf(other)).not.toBeNull();
  });

  test('leaves no object if its video is deleted meanwhile', async () => {
    const [video] = await upload(busy(), ['clip.mp4', MP4]);
    const { make } = world.covers;
    const covers: CoverMaker = {
      async make(source) {
        if (video) await world.media.delete(video);
        return make(source);
      },
    };
    const before = await publishedKeys(world);
    expect(await makeAll({ ...world, covers })).toEqual(['gone']);
    expect(await publishedKeys(world)).toEqual(before);
  });

  test('runs at the lowest priority while no request is served, or after a minute', async () => {
    const priorities: unknown[] = [];
    const { make } = world.covers;
    const covers: CoverMaker = {
      make: (source, signal, priority) => {
        priorities.push(priority);
        return make(source, signal, priority);
      },
    };
    const ports = { ...world, covers };
    const [first, second] = await upload(busy(), ['clip.mp4', MP4], ['clip.mp4', MP4]);
    expect(await makeAll(ports, { isQuiet: () => false })).toEqual([]);
    let looks = 0;
    expect(await makeAll(ports, { isQuiet: () => ++looks === 1 })).toEqual(['made']);
    world.clock.advance(60_000);
    expect(await makeAll(ports, { isQuiet: () => false })).toEqual(['made']);
    expect([await coverOf(first), await coverOf(second)]).not.toContain(null);
    expect(priorities).toEqual(['lowest', 'lowest']);
  });

  test('of one workspace does not wait until all jobs of another are done', async () => {
    await upload(busy(), ...Array.from({ length: 5 }, (_, index): [string, Uint8Array] => [`${index}.mp4`, MP4]));
    const neighbour = await addWorkspace(world);
    const batch = new UploadBatch(busy(), neighbour);
    await batch.add('clip.mp4', bodyOf(MP4));
    const [stored] = await batch.commit({ label: null, folderId: null });
    await batch.discard();
    const { runAll, ends } = start(world);
    await runAll();
    const made = ends.map(({ job }) => job?.subjectId);
    expect(made).toHaveLength(6);
    expect(made.slice(0, 2)).toContain(stored?.item.id);
  });
});
