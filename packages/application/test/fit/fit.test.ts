import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  type ActiveMedia,
  findTarget,
  type MediaFitter,
  Refusal,
  type Target,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import { addWorkspace, sampleImage, sampleProcessing } from '@postshelf/testing/contracts/samples';
import { fakeFile, madeFile } from '@postshelf/testing/fakes';
import { collectGarbage, type DueFit, deleteMedia, makeDueFits, startFit, updateMedia } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { afterCallNumber, behindEachCall, interruptible } from '../support/interruptions.ts';
import { addImage, countStaged, publishedKeys } from '../support/objects.ts';
import { inhabitedWorld, restarted, type World } from '../support/world.ts';

const TARGET: Target = findTarget('instagram.feed') ?? expect.unreachable();
const LEASE_TIME = 30_000;

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

async function makeAll(ports: World, signal = new AbortController().signal): Promise<readonly DueFit['outcome'][]> {
  const outcomes: DueFit['outcome'][] = [];
  await makeDueFits(ports, signal, { onEnd: ({ outcome }) => outcomes.push(outcome), onProgress: () => undefined });
  return outcomes;
}

const making = (make: MediaFitter['make']): World => ({ ...world, fitter: { isAvailable: async () => true, make } });
const itemOf = async (id: Uuid) => (await world.media.find(id))?.item;

describe('a requested fit', () => {
  test('is listed at once, and its file is made by a worker', async () => {
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

  test.each<[string, () => Parameters<typeof startFit>[1], Partial<World>, string, RegExp]>([
    ['is not active', () => sampleProcessing(workspace.id), {}, 'media_content', /./],
    ['cannot fit', () => sampleImage(workspace.id, {}), {}, 'target', /needs at least 1 video/],
    [
      'cannot be made without ffmpeg',
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
    expect(await world.fitQueue.depth()).toBe(0);
  });
});

describe('a file', () => {
  const tooWide = madeFile(fakeFile({ type: 'image/jpeg', width: 500, height: 100, time: null }));
  const broken = madeFile(fakeFile({ type: 'image/jpeg', width: 320, height: 240, time: null }).subarray(0, 20));

  test.each<[string, Awaited<ReturnType<MediaFitter['make']>>, RegExp, number]>([
    ['that stays too large', 'too_large', /small enough/, 4],
    ['that takes too long', 'too_long', /too long/, 1],
    ['that the tool cannot make', 'unreadable', /could not be converted/, 1],
    ['that breaks a rule of the target', tooWide, /must not be wider than 1\.91:1/, 1],
    ['that is broken', broken, /could not be converted/, 1],
  ])('%s fails with the reason', async (_, made, reason, tries) => {
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

  test('is made smaller until it keeps the limit', async () => {
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

  test('fails if its original was deleted, and keeps a name and a folder that it got meanwhile', async () => {
    const [renamed, gone] = [await begin(), await begin()];
    const media = await world.media.find(renamed);
    if (media) await updateMedia(world, media.item, { name: 'wide.jpg' });
    await makeDueFits(
      making(async (...given) => {
        await deleteMedia(world, original, expect.unreachable);
        return world.fitter.make(...given);
      }),
      new AbortController().signal,
      { onEnd: () => undefined, onProgress: () => undefined },
    );
    expect(await itemOf(renamed)).toMatchObject({ status: 'active', name: 'wide.jpg', fittedFrom: original.id });
    expect(await itemOf(gone)).toMatchObject({ status: 'failed', errorMessage: 'The original no longer exists.' });
  });
});

describe('the job of a fit', () => {
  test('is tried again after faults, and then given up', async () => {
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

  test("of one workspace is not delayed by another's slow ones", async () => {
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

  test('is given up after it has killed its workers too often', async () => {
    const id = await begin();
    for (let kills = 0; kills < 4; kills += 1) {
      const lease = { owner: `${kills}`, until: world.clock.now() + LEASE_TIME };
      expect(await world.fitQueue.claim({ now: world.clock.now(), lease, without: [] })).not.toBeNull();
      world.clock.advance(LEASE_TIME);
    }
    expect(await makeAll(world)).toEqual(['failed']);
    expect(await itemOf(id)).toMatchObject({ errorMessage: 'The conversion was interrupted too often.' });
  });

  test('is released when the worker stops, and its tool ends', async () => {
    await begin();
    const stopping = new AbortController();
    const ports = making(async (_, { signal }) => {
      stopping.abort();
      return signal.aborted ? 'aborted' : 'unreadable';
    });
    expect(await makeAll(ports, stopping.signal)).toEqual(['later']);
    expect(await makeAll(world)).toEqual(['made']);
  });

  test('stops its tool when its item is deleted', async () => {
    const id = await begin();
    const ports = making(async (_, { signal }) => {
      const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      await world.media.remove(id);
      await ended;
      return 'aborted';
    });
    const outcomes: DueFit['outcome'][] = [];
    const observer = { onEnd: ({ outcome }: DueFit) => void outcomes.push(outcome), onProgress: () => undefined };
    await makeDueFits(ports, new AbortController().signal, observer, 30);
    expect(outcomes).toEqual(['gone']);
  });

  test('leaves nothing when its item is deleted', async () => {
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

  test.each(['made', 'failed'] as const)('ends (%s) wherever a worker is killed', async (outcome) => {
    const calls = await behindEachCall(async (number) => {
      await databases.closeAll();
      await prepare();
      const id = await begin();
      const killed = Promise.withResolvers<void>();
      const { afterCall, calls } = afterCallNumber(number, () => {
        killed.resolve();
        return new Promise(() => undefined);
      });
      const ended = makeAll(interruptible(world, afterCall));
      await Promise.race([killed.promise, ended]);
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
    expect(calls).toEqual(expect.arrayContaining(['storage.stage', 'object.publish', 'fitQueue.finish']));
  });
});
