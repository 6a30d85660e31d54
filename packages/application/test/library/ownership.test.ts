import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { StorageMark, Uuid, Workspace } from '@postshelf/domain';
import { newId } from '@postshelf/testing/contracts/samples';
import { memoryMarker } from '@postshelf/testing/fakes';
import { outcomeOf, thrownBy } from '@postshelf/testing/outcomes';
import {
  collectGarbage,
  establishOwnership,
  GARBAGE_AGE,
  OwnershipRefused,
  requireFreshStorage,
  requireOwnership,
} from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { addImage, publish, publishedKeys } from '../support/objects.ts';
import { inhabitedWorld, replacing, unmarked, untouchedWorld, type World } from '../support/world.ts';

afterEach(databases.closeAll);

let world: World & { readonly workspace: Workspace };
let id: Uuid;

beforeEach(async () => {
  world = await inhabitedWorld();
  id = (await world.library.findOrCreate(newId(), world.clock.now())).id;
});

const refusalOf = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.then(
    () => new Error('was not refused'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof OwnershipRefused)) throw error;
  return error.problem.reason;
};

const orphan = (): string => `${world.workspace.id}/${newId()}/orphan.jpg`;

describe('checking that a storage belongs to the database', () => {
  test('creates the library and marks an empty storage', async () => {
    const fresh = await untouchedWorld();
    const ownership = await establishOwnership(fresh);
    expect(ownership).toMatchObject({ isMarkedNow: true, problem: null });
    const { library } = ownership;
    expect(await fresh.marker.read()).toEqual({ library: library.id, generation: 0, restoring: null });
    expect(library).toMatchObject({ storageMarkedAt: fresh.clock.now(), restoredAt: null });
    expect(await fresh.library.find()).toEqual(library);
    expect(await establishOwnership(fresh)).toEqual({ library, isMarkedNow: false, problem: null });
  });

  test('gives an empty storage to only one of two databases whose services start at the same time', async () => {
    const [one, other] = [await untouchedWorld(), await untouchedWorld()];
    // The service that starts with the other database finds no mark, and continues once the storage is marked.
    let isWritten = (): void => undefined;
    const written = new Promise<void>((resolve) => (isWritten = resolve));
    const marker = replacing(one.marker, {
      async read() {
        const seen = await one.marker.read();
        if (seen === null) await written;
        return seen;
      },
    });
    const late = refusalOf(establishOwnership({ ...other, marker, ids: { next: newId } }));
    const { library } = await establishOwnership(one);
    isWritten();
    expect(await late).toBe('other_library');
    expect(await one.marker.read()).toMatchObject({ library: library.id });
  });

  test('accepts a mark that a concurrent start with the same database has written', async () => {
    const fresh = await untouchedWorld();
    let isFirst = true;
    const marker = replacing(fresh.marker, {
      async read() {
        const seen = await fresh.marker.read();
        if (isFirst) {
          isFirst = false;
          await establishOwnership(fresh);
        }
        return seen;
      },
    });
    expect(await establishOwnership({ ...fresh, marker })).toMatchObject({ isMarkedNow: false, problem: null });
  });

  test('writes the mark before the row, so that the next start can write the row after a kill', async () => {
    const fresh = await untouchedWorld();
    const library = replacing(fresh.library, {
      update: async () => {
        throw new Error('killed');
      },
    });
    expect(await outcomeOf(establishOwnership({ ...fresh, library }))).toThrow('killed');
    expect(await establishOwnership(fresh)).toMatchObject({ isMarkedNow: false });
    expect(await fresh.library.find()).toMatchObject({ storageMarkedAt: fresh.clock.now() });
  });

  test('marks a storage whose objects match the rows, as that of a restored library if the mark was lost', async () => {
    await addImage(world, world.workspace.id);
    const marker = memoryMarker();
    const first = await establishOwnership({ ...world, marker });
    expect(first).toMatchObject({ isMarkedNow: true, library: { restoredAt: world.clock.now() } });
    const old = await unmarked(world);
    expect(await establishOwnership(old)).toMatchObject({ isMarkedNow: true, library: { restoredAt: null } });
  });

  test('refuses a storage that contains only unknown objects, and does not mark it', async () => {
    await publish(world, orphan(), new Uint8Array([1]));
    const other = await unmarked(world);
    expect(await refusalOf(establishOwnership(other))).toBe('unknown_media');
    expect(await other.marker.read()).toBeNull();
  });

  test('refuses a storage that lacks the objects of the rows', async () => {
    await addImage(world, world.workspace.id);
    const other = await unmarked({ ...world, storage: (await untouchedWorld()).storage });
    expect(await refusalOf(establishOwnership(other))).toBe('media_missing');
    expect(await other.marker.read()).toBeNull();
  });

  test('counts an object as known if its key contains the id of an item, even with another file name', async () => {
    const item = await addImage(world, world.workspace.id);
    await publish(world, `${world.workspace.id}/${item.id}/other-name.jpg`, new Uint8Array([1]));
    expect(await establishOwnership(await unmarked(world))).toMatchObject({ isMarkedNow: true });
  });

  test('treats a database as a copy if the mark has no fence, but a higher generation', async () => {
    const mark = { library: id, generation: 7, restoring: null };
    await world.marker.write(mark);
    expect(await establishOwnership(world)).toMatchObject({ problem: { reason: 'copy' } });
    expect(await world.marker.read()).toEqual(mark);
    expect(await world.library.find()).toMatchObject({ generation: 0, restoredAt: null });
  });

  test('treats a database as a copy if the fence in the mark is neither its current nor its previous one', async () => {
    await world.fence.set({ current: 'b', previous: 'a' });
    const mark = { library: id, generation: 0, restoring: null };
    for (const fence of ['a', 'b']) {
      await world.marker.write({ ...mark, fence });
      expect(await establishOwnership(world)).toMatchObject({ problem: null });
    }
    await world.marker.write({ ...mark, fence: 'c' });
    expect(await establishOwnership(world)).toMatchObject({ problem: { reason: 'copy' } });
    expect(await refusalOf(requireOwnership(world))).toBe('copy');
  });
});

describe('garbage collection', () => {
  const MARKS: readonly (readonly [string, StorageMark | null])[] = [
    ['the mark of another library', { library: newId(), generation: 0, restoring: null }],
    ['the mark of an unfinished restore', { library: null, generation: 0, restoring: 1 }],
    ['no mark', null],
  ];

  test.each(MARKS)('removes nothing from a storage with %s', async (_, mark) => {
    const key = orphan();
    await publish(world, key, new Uint8Array([1]));
    await world.storage.stage(new Blob(['staged']).stream(), { limit: 10 });
    world.clock.advance(2 * GARBAGE_AGE);
    world.backing.killed.add('first process');
    const marker = memoryMarker({ mark });
    expect(await thrownBy(collectGarbage({ ...world, marker }))).toBeInstanceOf(OwnershipRefused);
    expect(await publishedKeys(world)).toEqual([key]);
    expect(world.backing.staged.size).toBe(1);
    expect(await marker.read()).toEqual(mark);
    expect(await world.library.find()).toMatchObject({ generation: 0 });
  });
});

describe('a database that does not exist yet', () => {
  test('may be created for an empty storage', async () => {
    await requireFreshStorage(await untouchedWorld(), false);
  });

  test('must not be created for a storage with a mark, an object or another file', async () => {
    expect(await refusalOf(requireFreshStorage(world, false))).toBe('new_database');
    expect(await refusalOf(requireFreshStorage(await untouchedWorld(), true))).toBe('new_database');
    await publish(world, orphan(), new Uint8Array([1]));
    expect(await refusalOf(requireFreshStorage(await unmarked(world), false))).toBe('new_database');
  });
});
