import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  type ActiveMedia,
  findTarget,
  JOB_RULES,
  type MediaFitter,
  Refusal,
  type Target,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import { addWorkspace, sampleImage, sampleProcessing } from '@postshelf/testing/contracts/samples';
import { fakeFile, madeFile } from '@postshelf/testing/fakes';
import { collectGarbage, deleteMedia, fitHandler, startFit, updateMedia } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { behindEachCall, workUntilKilled } from '../support/interruptions.ts';
import { claimJobs, countJobs, startRunner, type TestRunner, type TestRunnerOptions } from '../support/jobs.ts';
import { addImage, countStaged, publishedKeys } from '../support/objects.ts';
import { unreachable } from '../support/storages.ts';
import { inhabitedWorld, replacing, restarted, type World } from '../support/world.ts';

const TARGET: Target = findTarget('instagram.feed') ?? expect.unreachable();
const LEASE_TIME = JOB_RULES.fit.leaseTime;

let world: World;
let workspace: Workspace;
let original: ActiveMedia;

async function prepare(): Promise<void> {
  const inhabited = await inhabitedWorld();
  [world, workspace] = [inhabited, inhabited.workspace];
  original = await addImage(world, workspace.id, { name: 'beach.jpg' });
}

beforeEach(prepare);
afterEach(databases.closeAll);

const begin = async (ports: World = world): Promise<Uuid> =>
  (await startFit(ports, original, { target: TARGET, how: 'pad' })).item.id;

/** Starts a runner that fits files, as a process does. */
const start = (ports: World = world, options?: TestRunnerOptions): TestRunner =>
  startRunner(ports, [fitHandler(ports, () => undefined)], options);

const makeAll = (ports: World): Promise<readonly string[]> => start(ports).runAll();

const making = (make: MediaFitter['make']): World => ({ ...world, fitter: { isAvailable: async () => true, make } });
/** Returns a tool that works until its signal is aborted. */
const endless =
  (onBegun: () => void): MediaFitter['make'] =>
  async (_, { signal }) => {
    const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    onBegun();
    await ended;
    return 'aborted';
  };

const itemOf = async (id: Uuid) => (await world.media.find(id))?.item;

describe('a requested fit', () => {
  test('is listed immediately, and its file is made by a worker', async () => {
    original = { ...original, altText: 'Waves' };
    const { item } = await startFit(world, original, { target: TARGET, how: 'crop' });
    const { id, folderId, label, altText } = original;
    const expected = { folderId, label, altText, fittedFrom: id, name: 'beach-instagram-feed.jpg' };
    expect(item).toMatchObject({ ...expected, status: 'processing' });
    expect(await makeAll(world)).toEqual(['made']);
    const made = await itemOf(item.id);
    expect(made).toMatchObject({
      ...expected,
      status: 'active',
      content: { type: 'image/jpeg', width: 320, height: 240 },
    });
    expect(await publishedKeys(world)).toEqual([original.fullName, item.fullName].sort());
    expect(countStaged(world)).toBe(0);
    expect(await makeAll(world)).toEqual([]);
  });

  test('is cropped around the focus that the original had when it was requested', async () => {
    const focus = { x: 0.2, y: 0.9 };
    original = { ...original, focus };
    const crop = { x: 0, y: 0, width: 1, height: 0.5 };
    for (const more of [{}, { how: 'pad' }, { crop }] as const)
      await startFit(world, original, { target: TARGET, how: 'crop', ...more });
    await updateMedia(world, original, { focus: null });
    const orders: object[] = [];
    const ports = making(async (_, { how, crop: part, focus: at }) => {
      orders.push({ how, crop: part, focus: at });
      return 'unreadable';
    });
    await makeAll(ports);
    expect(orders).toEqual([
      { how: 'crop', crop: null, focus },
      { how: 'pad', crop: null, focus: undefined },
      { how: 'crop', crop, focus: undefined },
    ]);
  });

  test.each<[string, () => Parameters<typeof startFit>[1], Partial<World>, string, RegExp]>([
    ['is not active', () => sampleProcessing(workspace.id), {}, 'media_content', /./],
    ['cannot fit', () => sampleImage(workspace.id, {}), {}, 'target', /needs at least 1 video/],
    [
      'needs ffmpeg, which is missing,',
      () => original,
      { fitter: { isAvailable: async () => false, make: async () => 'unreadable' } },
      'target',
      /no ffmpeg/,
    ],
  ])('of an item that %s is refused', async (title, item, ports, field, reason) => {
    const target = title === 'cannot fit' ? (findTarget('youtube.video') ?? expect.unreachable()) : TARGET;
    const refused = await startFit({ ...world, ...ports }, item(), { target, how: 'pad' }).catch((error) => error);
    expect(refused).toBeInstanceOf(Refusal);
    expect(refused.problem).toMatchObject({ code: 'invalid', errors: { [field]: [expect.stringMatching(reason)] } });
    expect(await countJobs(world, 'fit')).toBe(0);
  });
});

describe('a fitted file', () => {
  const tooWide = madeFile(fakeFile({ type: 'image/jpeg', width: 500, height: 100, time: null }));
  const broken = madeFile(fakeFile({ type: 'image/jpeg', width: 320, height: 240, time: null }).subarray(0, 20));

  test.each<[string, Awaited<ReturnType<MediaFitter['make']>>, RegExp, number]>([
    ['that stays too large', 'too_large', /small enough/, 4],
    ['that takes too long', 'too_long', /too long/, 1],
    ["that the tool can't make", 'unreadable', /could not be converted/, 1],
    ['that breaks a rule of the target', tooWide, /must not be wider than 1\.91:1/, 1],
    ['that is broken', broken, /could not be converted/, 1],
  ])('%s fails with a matching error message', async (_, made, reason, tries) => {
    const id = await begin();
    let tried = 0;
    const ports = making(async () => {
      tried += 1;
      return made;
    });
    expect(await makeAll(ports)).toEqual(['failed']);
    expect(await itemOf(id)).toMatchObject({ status: 'failed', errorMessage: expect.stringMatching(reason) });
    expect(tried).toBe(tries);
    expect(await publishedKeys(world)).toEqual([original.fullName]);
  });

  test('fails if the tool is missing', async () => {
    const id = await begin();
    expect(await makeAll({ ...world, fitter: { ...world.fitter, isAvailable: async () => false } })).toEqual([
      'failed',
    ]);
    expect(await itemOf(id)).toMatchObject({ errorMessage: 'This server has no ffmpeg, which the conversion needs.' });
  });

  test('is made smaller until it meets the limit', async () => {
    const id = await begin();
    const sizes = [9_000_000, 8_100_000, 100];
    const ports = making(async () =>
      madeFile(fakeFile({ type: 'image/jpeg', width: 320, height: 240, time: null }, sizes.shift())),
    );
    expect(await makeAll(ports)).toEqual(['made']);
    expect(await itemOf(id)).toMatchObject({ status: 'active', content: { width: 320 } });
    expect(sizes).toEqual([]);
  });

  test('fails if its original is deleted while it is read', async () => {
    const id = await begin();
    const ports = making(async () => {
      await deleteMedia(world, original, expect.unreachable);
      throw new Error('cannot be opened');
    });
    expect(await makeAll(ports)).toEqual(['failed']);
    expect(await itemOf(id)).toMatchObject({ errorMessage: 'The original no longer exists.' });
  });

  test('may be renamed before it is made, but fails if its original is deleted before then', async () => {
    const [renamed, gone] = [await begin(), await begin()];
    const media = await world.media.find(renamed);
    if (media) await updateMedia(world, media.item, { name: 'wide.jpg' });
    await makeAll(
      making(async (...given) => {
        await deleteMedia(world, original, expect.unreachable);
        return world.fitter.make(...given);
      }),
    );
    expect(await itemOf(renamed)).toMatchObject({ status: 'active', name: 'wide.jpg', fittedFrom: original.id });
    expect(await itemOf(gone)).toMatchObject({ status: 'failed', errorMessage: 'The original no longer exists.' });
  });
});

describe('a fit job', () => {
  test('is retried after faults, and then given up', async () => {
    const id = await begin();
    const faulty = making(() => Promise.reject(new Error('out of reach')));
    for (const seconds of [5, 60, 600]) {
      expect(await makeAll(faulty)).toEqual(['fault']);
      expect(await makeAll(faulty)).toEqual([]);
      world.clock.advance(seconds * 1000);
    }
    expect(await makeAll(faulty)).toEqual(['failed']);
    expect(await itemOf(id)).toMatchObject({ errorMessage: 'The conversion was interrupted too often.' });
  });

  test('waits during an outage of the storage, however long the outage lasts within a day', async () => {
    const id = await begin();
    const storage = unreachable(world.storage);
    for (const minutes of [1, 2, 4, 8, ...Array.from({ length: 140 }, () => 10)]) {
      expect(await makeAll({ ...world, storage })).toEqual(['fault']);
      world.clock.advance(minutes * 60_000 - 1);
      expect(await makeAll(world)).toEqual([]);
      world.clock.advance(1);
    }
    expect(await claimJobs(world, 'fit', 'looks', 0)).toMatchObject([{ claims: 1, attempts: 144 }]);
    expect(await makeAll(world)).toEqual(['made']);
    expect(await itemOf(id)).toMatchObject({ status: 'active' });
  });

  test('is given up if the storage refuses its file for more than a day', async () => {
    const id = await begin();
    const stage = () => Promise.reject(new Refusal({ code: 'storage_low' }));
    const refusing = { ...world, storage: replacing(world.storage, { stage }) };
    const end = world.clock.now() + 30 * 3_600_000;
    let outcomes: readonly string[] = [];
    for (; outcomes[0] !== 'failed' && world.clock.now() < end; world.clock.advance(600_000))
      outcomes = await makeAll(refusing);
    expect(await itemOf(id)).toMatchObject({ errorMessage: 'The conversion was interrupted too often.' });
  });

  test('of one workspace is not delayed by slow jobs of another workspace', async () => {
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    for (const _ of [1, 2, 3]) await begin();
    const long = making(async () => {
      begun.resolve();
      await released.promise;
      return 'too_long';
    });
    const own = makeAll(long);
    await begun.promise;
    const { id } = await addWorkspace(world);
    await startFit(world, await addImage(world, id, { name: 'boat.jpg' }), { target: TARGET, how: 'pad' });
    expect(await makeAll(world)).toEqual(['made']);
    released.resolve();
    expect(await own).toEqual(['failed', 'failed', 'failed']);
  });

  test('is given up after its workers were killed too often', async () => {
    const id = await begin();
    for (let kills = 0; kills < 4; kills += 1) {
      expect(await claimJobs(world, 'fit', `${kills}`)).toHaveLength(1);
      world.clock.advance(LEASE_TIME);
    }
    expect(await makeAll(world)).toEqual(['failed']);
    expect(await itemOf(id)).toMatchObject({ errorMessage: 'The conversion was interrupted too often.' });
  });

  test('is put back and its tool is stopped when the process stops', async () => {
    await begin();
    const begun = Promise.withResolvers<void>();
    const { runner, ends } = start(making(endless(begun.resolve)));
    await runner.runDue();
    await begun.promise;
    await runner.stop();
    expect(ends.map(({ outcome }) => outcome)).toEqual(['later']);
    expect(await claimJobs(world, 'fit', 'looks', 0)).toMatchObject([{ claims: 1 }]);
    expect(await makeAll(world)).toEqual(['made']);
  });

  test('counts a start that published its file, even if the process then stops', async () => {
    const id = await begin();
    const [finishing, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const processing = replacing(world.processing, {
      async finish() {
        finishing.resolve();
        await released.promise;
        throw new Error('the database is away');
      },
    });
    const { runner, ends } = start({ ...world, processing });
    await runner.runDue();
    await finishing.promise;
    const stopping = runner.stop();
    released.resolve();
    await stopping;
    expect(ends.map(({ outcome }) => outcome)).toEqual(['later']);
    expect(await publishedKeys(world)).toHaveLength(2);
    expect(await claimJobs(world, 'fit', 'looks', 0)).toMatchObject([{ subjectId: id, claims: 2 }]);
    expect(await makeAll(world)).toEqual(['made']);
    expect(await publishedKeys(world)).toHaveLength(2);
  });

  test('stops its tool when its item is deleted', async () => {
    const id = await begin();
    const begun = Promise.withResolvers<void>();
    const { runner, heard } = start(making(endless(begun.resolve)), { rules: { leaseTime: 60 } });
    await runner.runDue();
    await begun.promise;
    await world.media.delete(id);
    expect(await heard(1)).toEqual(['gone']);
  });

  test('stops its tool once another process has claimed the job', async () => {
    const id = await begin();
    const begun = Promise.withResolvers<void>();
    const { runner, heard } = start(making(endless(begun.resolve)), { rules: { leaseTime: 60 } });
    await runner.runDue();
    await begun.promise;
    world.clock.advance(60);
    expect(await claimJobs(world, 'fit', 'another')).toHaveLength(1);
    expect(await heard(1)).toEqual(['later']);
    expect((await world.jobs.renew('fit', [id], { owner: 'another', until: 0 })).size).toBe(1);
  });

  test('leaves nothing if its item is deleted while the file is made', async () => {
    const id = await begin();
    const ports = making(async (...given) => {
      const found = await world.media.find(id);
      if (found) await deleteMedia(world, found.item, expect.unreachable);
      return world.fitter.make(...given);
    });
    expect(await makeAll(ports)).toEqual(['gone']);
    expect(await publishedKeys(world)).toEqual([original.fullName]);
    expect(countStaged(world)).toBe(0);
  });

  test.each(['made', 'failed'] as const)('ends as %s wherever a worker is killed', async (outcome) => {
    const calls = await behindEachCall(async (number) => {
      await databases.closeAll();
      await prepare();
      const id = await begin();
      const calls = await workUntilKilled(world, number, start);
      const later = restarted(world);
      const hasEnded = (await itemOf(id))?.status === 'active';
      const unfit: MediaFitter = { isAvailable: async () => true, make: async () => 'unreadable' };
      const then = await makeAll(outcome === 'made' ? later : { ...later, fitter: unfit });
      expect(then).toEqual(hasEnded ? [] : [outcome]);
      await collectGarbage(later);
      const item = await itemOf(id);
      expect(item?.status).toBe(hasEnded || outcome === 'made' ? 'active' : 'failed');
      const keys = [original.fullName, ...(item?.status === 'active' ? [item.fullName] : [])];
      expect(await publishedKeys(world)).toEqual(keys.sort());
      expect(countStaged(world)).toBe(0);
      return calls;
    });
    expect(calls).toEqual(expect.arrayContaining(['storage.stage', 'object.publish', 'processing.finish']));
  });
});
