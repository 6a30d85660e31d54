import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { BackupError, type StorageMark, type Uuid } from '@postshelf/domain';
import { newId } from '@postshelf/testing/contracts/samples';
import { memoryMarker } from '@postshelf/testing/fakes';
import { outcomeOf, thrownBy } from '@postshelf/testing/outcomes';
import { establishOwnership, OwnershipRefused } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { bytesUnder, publish, publishedKeys } from '../support/objects.ts';
import { replacing, unmarked, untouchedWorld, type World } from '../support/world.ts';
import { library, putBack, restorePlace, take } from './library-and-backup.ts';

let source: Awaited<ReturnType<typeof library>>;
let archive: Awaited<ReturnType<typeof take>>['archive'];
let id: Uuid;

afterAll(databases.closeAll);

beforeAll(async () => {
  source = await library();
  ({ archive } = await take(source.world));
  id = (await source.world.library.findOrCreate(newId(), 0)).id;
});

/** Starts the program with the restored database and the storage, and returns the outcome. */
async function start(world: World, place: ReturnType<typeof restorePlace>): Promise<string> {
  const stores = await place.open();
  // If no database was restored, the program starts with a new, empty one.
  const ports = stores ? { ...world, ...stores } : await unmarked(world);
  try {
    await establishOwnership({ ...ports, marker: world.marker });
    return stores ? 'serves' : 'made a new library';
  } catch (error) {
    if (error instanceof OwnershipRefused) return error.problem.reason;
    throw error;
  }
}

/**
 * Returns the world as it behaves when the process is killed: the n-th step that changes anything fails, and so does
 * each later one.
 */
function killedAt(world: World, place: ReturnType<typeof restorePlace>, n: number) {
  let steps = 0;
  let isKilled = false;
  const step = <T>(work: () => Promise<T>): Promise<T> => {
    if (isKilled || steps++ === n) {
      isKilled = true;
      return Promise.reject(new Error('killed'));
    }
    return work();
  };
  const marker = replacing(world.marker, {
    create: (mark) => step(() => world.marker.create(mark)),
    swap: (from, to) => step(() => world.marker.swap(from, to)),
    write: (mark) => step(() => world.marker.write(mark)),
  });
  const storage = replacing(world.storage, {
    stage: (body, options) => step(() => world.storage.stage(body, options)),
  });
  const trash = replacing(world.trash, { add: (key, at) => step(() => world.trash.add(key, at)) });
  const database = replacing(place.database, {
    open: () => step(() => place.database.open()),
    commit: () => step(() => place.database.commit()),
  });
  return { world: { ...world, marker, storage, trash }, place: { ...place, database }, isKilled: () => isKilled };
}

describe('a restore', () => {
  test('marks the library as restored, with a new fence', async () => {
    const { world, place } = await putBack(archive);
    const restored = await (await place.open())?.library.find();
    expect(restored).toMatchObject({ id, restoredAt: world.clock.now(), storageMarkedAt: world.clock.now() });
    const mark = await world.marker.read();
    expect(mark).toMatchObject({ library: restored?.id ?? null, restoring: null });
    expect(await (await place.open())?.fence.find()).toEqual({
      current: mark?.fence ?? '',
      previous: null,
      movedTo: null,
    });
    expect(await start(world, place)).toBe('serves');
  });

  test('that is killed at any step is complete or keeps the service from starting, and can be run again', async () => {
    const seen = new Set<string>();
    for (let n = 0; ; n++) {
      const world = await untouchedWorld();
      const place = restorePlace();
      const killed = killedAt(world, place, n);
      const run = putBack(archive, killed.world, killed.place);
      if (
        n === 0 ||
        (await run.then(
          () => false,
          () => true,
        ))
      ) {
        await run.catch(() => undefined);
        const state = await start({ ...world, marker: memoryMarker({ mark: await world.marker.read() }) }, place);
        expect(['restoring', 'serves', 'made a new library']).toContain(state);
        if (state === 'made a new library') expect(n).toBe(0);
        seen.add(state);
        await putBack(archive, world, place);
        expect(await start(world, place)).toBe('serves');
        for (const { fullName } of source.items)
          expect(await bytesUnder(world, fullName)).toEqual(await bytesUnder(source.world, fullName));
        continue;
      }
      expect(killed.isKilled()).toBe(false);
      expect(n).toBeGreaterThan(7);
      break;
    }
    expect([...seen].sort()).toEqual(['made a new library', 'restoring', 'serves']);
  });

  const moments = ['before its first file', 'before its database', 'after its last file'] as const;

  test.each(moments)('fails if another restore overtakes it %s, and keeps that restore’s mark', async (moment) => {
    const world = await untouchedWorld();
    const file = databases.freePath();
    const [place, other] = [restorePlace(file), restorePlace(file)];
    const overtake = () => {
      world.clock.advance(1);
      return putBack(archive, world, other);
    };
    const slow = {
      async *read() {
        if (moment === moments[0]) await overtake();
        for await (const member of archive.read()) {
          if (moment === moments[1] && member.name === 'postshelf.db') await overtake();
          yield member;
        }
        if (moment === moments[2]) await overtake();
      },
    };
    expect(await outcomeOf(putBack(slow, world, place))).toThrow(/created or changed during the restore/);
    expect(await world.marker.read()).toMatchObject({ library: id, restoring: null });
    expect(await start(world, place)).toBe('serves');
  });

  test('fails if it begins just before another restore to the same path commits its database', async () => {
    const world = await untouchedWorld();
    const file = databases.freePath();
    const [place, later] = [restorePlace(file), restorePlace(file)];
    let second: Promise<unknown> | undefined;
    const database = replacing(place.database, {
      async commit() {
        const begun = Promise.withResolvers<void>();
        const slow = {
          async *read() {
            begun.resolve();
            await committed.promise;
            yield* archive.read();
          },
        };
        world.clock.advance(1);
        second = putBack(slow, world, later).catch((error: unknown) => error);
        await begun.promise;
        await place.database.commit();
      },
    });
    const committed = Promise.withResolvers<void>();
    await putBack(archive, world, { ...place, database });
    committed.resolve();
    expect(`${await second}`).toMatch(/created or changed during the restore/);
    expect(await start(world, place)).toBe('serves');
  });

  test('keeps correct objects, and moves objects with other bytes to the trash', async () => {
    const [right, wrong] = source.items;
    if (!right || !wrong) throw new Error('There are four.');
    const world = await untouchedWorld();
    await publish(world, right.fullName, (await bytesUnder(source.world, right.fullName)) ?? new Uint8Array());
    await publish(world, wrong.fullName, new Uint8Array(7));
    const untouched = world.backing.published.get(right.fullName);
    const { report, trashed } = await putBack(archive, world);
    expect(report).toMatchObject({ restored: 4, damaged: 0, trashed: 1 });
    expect(trashed).toEqual([wrong.fullName]);
    expect(world.backing.published.get(right.fullName)).toBe(untouched);
    expect(await bytesUnder(world, wrong.fullName)).toEqual(await bytesUnder(source.world, wrong.fullName));
    expect(await Array.fromAsync(world.trash.list())).toMatchObject([{ key: wrong.fullName, size: 7 }]);
  });

  test("into the library's own storage is allowed, and makes the original database a copy", async () => {
    const world = await unmarked(source.world);
    await source.world.fence.set({ current: 'theirs' });
    await world.marker.write({ library: id, generation: 9, restoring: null, fence: 'theirs' });
    const before = await publishedKeys(world);
    const { place } = await putBack(archive, world);
    expect(await publishedKeys(world)).toEqual(before);
    expect(await (await place.open())?.library.find()).toMatchObject({ id });
    expect(await start(world, place)).toBe('serves');
    expect((await establishOwnership({ ...source.world, marker: world.marker })).problem).toEqual({ reason: 'copy' });
  });

  const OTHERS: readonly (readonly [string, StorageMark | null])[] = [
    ['its mark', { library: newId(), generation: 3, restoring: null }],
    ['the mark of an unfinished restore', { library: newId(), generation: 3, restoring: 1 }],
    ['no mark', null],
  ];

  test.each(OTHERS)('writes nothing to a storage that has media of another library and %s', async (_, mark) => {
    const world = { ...(await untouchedWorld()), marker: memoryMarker({ mark }) };
    const key = `${newId()}/${newId()}/theirs.jpg`;
    await publish(world, key, new Uint8Array([1]));
    const place = restorePlace();
    expect(await thrownBy(putBack(archive, world, place))).toBeInstanceOf(BackupError);
    expect(await publishedKeys(world)).toEqual([key]);
    expect(await world.marker.read()).toEqual(mark);
    expect(await place.open()).toBeNull();
  });

  test('takes the library id from the mark of a storage with its media if the backup has no id', async () => {
    const old = await library(await untouchedWorld());
    const { archive: before } = await take(old.world);
    const marked = newId();
    const world = {
      ...(await unmarked(old.world)),
      marker: memoryMarker({ mark: { library: marked, generation: 0, restoring: null } }),
    };
    const { place } = await putBack(before, world);
    expect(await (await place.open())?.library.find()).toMatchObject({ id: marked });
    const empty = await putBack(before);
    expect(await (await empty.place.open())?.library.find()).toMatchObject({ restoredAt: empty.world.clock.now() });
  });
});
