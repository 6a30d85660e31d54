import { afterEach, describe, expect, test } from 'bun:test';
import type { MediaWithCover } from '@postshelf/domain';
import { collectGarbage, deleteMedia, findByAnyId, UploadBatch } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { JPEG, MP4 } from '../support/files.ts';
import { addImport, countImports, fileOf, itemsOf, LEASE_TIME, startImports, URL } from '../support/imports.ts';
import { afterCallNumber, behindEachCall, interruptible, workUntilKilled } from '../support/interruptions.ts';
import { bodyOf, countStaged, destroyDeleted, publishedKeys } from '../support/objects.ts';
import { inhabitedWorld, replacing, restarted, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const RETURN = { sha256: null, onDuplicate: 'return' } as const;

async function prepare(bytes: Uint8Array) {
  const world = await inhabitedWorld();
  const { id } = await addImport(world, world.workspace, { terms: RETURN });
  world.remoteFiles.serve(URL, fileOf(bytes), fileOf(bytes));
  return { world, id };
}

type Inhabited = Awaited<ReturnType<typeof inhabitedWorld>>;

/** Uploads bytes as multipart form data, and returns their item. */
async function store(world: Inhabited, bytes: Uint8Array): Promise<MediaWithCover> {
  const batch = new UploadBatch(world, world.workspace);
  await batch.add('there', bodyOf(bytes));
  const [stored] = await batch.commit({ label: null, folderId: null, onDuplicate: 'return' });
  await batch.discard();
  if (!stored) throw new Error('One file was stored.');
  return stored;
}

/**
 * Expects that the workspace has only this item (or none), that no other objects are stored, and that no import is in
 * progress.
 */
async function expectOnly(world: Inhabited, kept: MediaWithCover | null): Promise<void> {
  await collectGarbage(world);
  expect((await itemsOf(world, world.workspace)).map(({ id }) => id)).toEqual(kept ? [kept.item.id] : []);
  const objects = [kept?.item.fullName ?? [], kept?.cover?.fullName ?? []].flat();
  await destroyDeleted(world);
  expect(await publishedKeys(world)).toEqual(objects.sort());
  expect(await countImports(world)).toBe(0);
  expect(countStaged(world)).toBe(0);
}

const isWaiting = async (world: World, id: MediaWithCover['item']['id']): Promise<boolean> =>
  (await world.media.find(id))?.item.status === 'processing';

describe.each([
  ['an image', JPEG],
  ['a video', MP4],
])('%s imported with the option to return a duplicate', (_, bytes) => {
  test('becomes an alias of the existing item without making a cover, wherever a worker is killed', async () => {
    const calls = await behindEachCall(async (number) => {
      const { world, id } = await prepare(bytes);
      const there = await store(world, bytes);
      const made = await workUntilKilled(world, number);
      world.clock.advance(LEASE_TIME);
      const later = restarted(world);
      const second = startImports(later);
      await second.runner.runDue();
      if (await isWaiting(later, id)) expect(await second.heard(1)).toEqual(['active']);
      expect(await findByAnyId(later, id)).toEqual(there);
      await expectOnly(later, there);
      return made;
    });
    expect(calls).toContain('processing.finish');
    expect(calls).not.toContain('covers.make');
    expect(calls).not.toContain('object.publish');
  });

  test('becomes one item with the same file if that is uploaded after any call of the worker', async () => {
    await behindEachCall(async (number) => {
      const { world, id } = await prepare(bytes);
      const { afterCall, calls } = afterCallNumber(number, async () => {
        await store(world, bytes);
      });
      const { runner, heard } = startImports(interruptible(world, afterCall));
      await runner.runDue();
      expect(await heard(1)).toEqual(['active']);
      const kept = await findByAnyId(world, id);
      expect(await store(world, bytes)).toEqual(kept as MediaWithCover);
      await expectOnly(world, kept);
      return calls;
    });
  });

  test('is stored if the existing item is deleted first, and is otherwise deleted with it', async () => {
    await behindEachCall(async (number) => {
      const { world, id } = await prepare(bytes);
      const there = await store(world, bytes);
      const { afterCall, calls } = afterCallNumber(number, async () => {
        await deleteMedia(world, there.item, () => undefined);
      });
      const { runner, heard } = startImports(interruptible(world, afterCall));
      await runner.runDue();
      expect(await heard(1)).toEqual(['active']);
      const kept = await findByAnyId(world, id);
      if (calls.length >= number) expect(kept?.item.id ?? id).toBe(id);
      else expect(kept).toEqual(there);
      await expectOnly(world, kept);
      return calls;
    });
  });
});

test('an imported video keeps its object and cover if the database fails right after recording it', async () => {
  const { world, id } = await prepare(MP4);
  const lost = new Error('connection lost');
  const media = replacing(world.media, { findStored: () => Promise.reject(lost) });
  const { runner, heard } = startImports({ ...world, media });
  await runner.runDue();
  expect(await heard(1)).toEqual(['fault']);
  const kept = await world.media.find(id);
  expect(kept?.cover).not.toBeNull();
  await expectOnly(world, kept);
});
