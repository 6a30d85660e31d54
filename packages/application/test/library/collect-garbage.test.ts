import { beforeEach, describe, expect, test } from 'bun:test';
import { activate, beginImport, type ListedObject, type ObjectStorage, type Workspace } from '@postshelf/domain';
import { newId } from '@postshelf/testing';
import { collectGarbage, GARBAGE_AGE } from '../../src/index.ts';
import { addImage, publish, publishedKeys } from '../support/objects.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

let world: World;
let workspace: Workspace;

beforeEach(async () => {
  const inhabited = await inhabitedWorld();
  world = inhabited;
  workspace = inhabited.workspace;
});

const orphanKey = (): string => `${workspace.id}/${newId()}/orphan.jpg`;

/** A storage that lists what it is told to, and remembers what is removed. */
function listing(objects: readonly ListedObject[]): { storage: ObjectStorage; removed: readonly string[] } {
  const removed: string[] = [];
  const storage = replacing(world.storage, {
    async *list() {
      yield* objects;
    },
    remove: async (key) => void removed.push(key),
  });
  return { storage, removed };
}

const collectFrom = async (objects: readonly ListedObject[]): Promise<readonly string[]> => {
  const { storage, removed } = listing(objects);
  const report = await collectGarbage({ ...world, storage });
  expect(report).toMatchObject({ staged: 0, objects: removed.length });
  return removed;
};

describe('collecting garbage', () => {
  test('removes objects without a row and keeps those with one', async () => {
    const kept = await addImage(world, workspace.id);
    await publish(world, orphanKey(), new Uint8Array([1]));
    world.clock.advance(2 * GARBAGE_AGE);
    expect(await collectGarbage(world)).toEqual({ staged: 0, objects: 1, unconfirmed: 0, uploads: 0, bytes: 1 });
    expect(await publishedKeys(world)).toEqual([kept.fullName]);
    expect(await collectGarbage(world)).toEqual({ staged: 0, objects: 0, unconfirmed: 0, uploads: 0, bytes: 0 });
  });

  test('leaves an object that somebody may be about to keep a row for', async () => {
    const key = orphanKey();
    const now = world.clock.now();
    expect(await collectFrom([{ key, size: 1, modifiedAt: now, isSettled: false }])).toEqual([]);
    expect(await collectFrom([{ key, size: 1, modifiedAt: now - GARBAGE_AGE, isSettled: false }])).toEqual([]);
    expect(await collectFrom([{ key, size: 1, modifiedAt: now - GARBAGE_AGE - 1, isSettled: false }])).toEqual([key]);
  });

  test('takes a settled object at once, also one that seems to be from the future', async () => {
    const key = orphanKey();
    const now = world.clock.now();
    expect(await collectFrom([{ key, size: 1, modifiedAt: now, isSettled: true }])).toEqual([key]);
    expect(await collectFrom([{ key, size: 1, modifiedAt: now + GARBAGE_AGE, isSettled: true }])).toEqual([key]);
  });

  test('goes by the age that it is given', async () => {
    const { storage } = listing([{ key: orphanKey(), size: 1, modifiedAt: world.clock.now() - 11, isSettled: false }]);
    expect(await collectGarbage({ ...world, storage }, 11)).toEqual({
      staged: 0,
      objects: 0,
      unconfirmed: 0,
      uploads: 0,
      bytes: 0,
    });
    expect(await collectGarbage({ ...world, storage }, 10)).toEqual({
      staged: 0,
      objects: 1,
      unconfirmed: 0,
      uploads: 0,
      bytes: 1,
    });
  });

  test('sweeps what was staged before that age, and tells how much', async () => {
    const asked: number[] = [];
    const storage = replacing(world.storage, {
      list: listing([]).storage.list,
      sweepStaging: async (before, onFreed) => {
        asked.push(before);
        for (const bytes of [5, 6]) onFreed?.(bytes);
        return 3;
      },
    });
    expect(await collectGarbage({ ...world, storage })).toEqual({
      staged: 3,
      objects: 0,
      unconfirmed: 0,
      uploads: 0,
      bytes: 11,
    });
    expect(asked).toEqual([world.clock.now() - GARBAGE_AGE]);
  });

  test.each([[499], [500], [501], [1500], [1501]])('asks for the rows of %d objects 500 at a time', async (count) => {
    const keys = Array.from({ length: count }, orphanKey);
    const kept = new Set(keys.filter((_, index) => index % 7 === 0));
    const sizes: number[] = [];
    const media = replacing(world.media, {
      async existingFullNames(names) {
        sizes.push(names.length);
        return new Set(names.filter((name) => kept.has(name)));
      },
    });
    const { storage, removed } = listing(keys.map((key) => ({ key, size: 1, modifiedAt: 0, isSettled: true })));
    await collectGarbage({ ...world, media, storage });
    expect(removed).toEqual(keys.filter((key) => !kept.has(key)));
    expect(sizes.reduce((sum, size) => sum + size)).toBe(count);
    expect(sizes.length).toBe(Math.ceil(count / 500));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
  });

  test('asks for no rows when there is no object', async () => {
    const media = replacing(world.media, { existingFullNames: () => Promise.reject(new Error('asked')) });
    expect(await collectGarbage({ ...world, media, ...listing([]) })).toEqual({
      staged: 0,
      objects: 0,
      unconfirmed: 0,
      uploads: 0,
      bytes: 0,
    });
  });

  test('keeps the object of an import that ends while garbage is collected', async () => {
    // A worker was killed behind publishing, under a name that the row doesn't know (yet).
    const id = newId();
    const fullName = `${workspace.id}/${id}/video.mp4`;
    const item = beginImport(
      { id, workspaceId: workspace.id, folderId: null, label: null, name: 'video', fullName: `${fullName}.tmp` },
      0,
    );
    const until = world.clock.now() + 1000;
    await world.imports.add(item, { url: 'https://example.com/', attempts: 0 }, { lease: { owner: 'w', until } });
    await publish(world, fullName, new Uint8Array([1]));
    world.clock.advance(2 * GARBAGE_AGE);

    const media = replacing(world.media, {
      async existingFullNames(names) {
        const existing = await world.media.existingFullNames(names);
        // Right behind the look-up the next worker is done with it.
        await world.storage.remove(fullName);
        await publish(world, fullName, new Uint8Array([2]));
        await world.imports.finish(id, 'w', (now) => ({
          item: activate(now, { name: 'video.mp4', fullName, content: CONTENT }, 1),
          cover: null,
        }));
        return existing;
      },
    });
    expect(await collectGarbage({ ...world, media })).toEqual({
      staged: 0,
      objects: 0,
      unconfirmed: 0,
      uploads: 0,
      bytes: 0,
    });
    expect(await publishedKeys(world)).toEqual([fullName]);
  });

  test('leaves the object of an import on its way to whoever goes on with it, and takes it afterwards', async () => {
    const id = newId();
    const fullName = `${workspace.id}/${id}/old name.mp4`;
    const item = beginImport(
      { id, workspaceId: workspace.id, folderId: null, label: null, name: 'new name', fullName: `${fullName}.tmp` },
      0,
    );
    await world.media.insert([item]);
    await publish(world, fullName, new Uint8Array([1]));
    world.clock.advance(2 * GARBAGE_AGE);
    expect((await collectGarbage(world)).objects).toBe(0);
    await world.media.remove(id);
    expect((await collectGarbage(world)).objects).toBe(1);
  });
});

const CONTENT = { type: 'video/mp4', size: 1, sha256: '0'.repeat(64), width: 1, height: 1, time: 1 } as const;
