import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { FARTHEST_END, FENCE_TIMES, type Fence, type FenceProblem, type Workspace } from '@postshelf/domain';
import { newId } from '@postshelf/testing/contracts/samples';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { adoptStorage, deleteMedia, FenceKeeper, markSource, markTarget } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { addImage, publishedKeys } from '../support/objects.ts';
import { inhabitedWorld, replacing, untouchedWorld, type World } from '../support/world.ts';

afterEach(databases.closeAll);

type Inhabited = World & { readonly workspace: Workspace };

let original: Inhabited;

beforeEach(async () => {
  original = { ...(await inhabitedWorld()), ids: { next: newId } };
});

/** Returns a second database that has the same fence and uses the same storage. */
async function cloned(world: Inhabited): Promise<Inhabited> {
  const { library, fence, deletions, media, workspaces } = await untouchedWorld();
  await workspaces.insert(world.workspace, []);
  const { id, createdAt } = await world.library.findOrCreate(newId(), 0);
  await library.findOrCreate(id, createdAt);
  await library.update({ storageMarkedAt: createdAt });
  await fence.set(await world.fence.find());
  return { ...world, library, fence, deletions, media };
}

const keeperOf = (world: World, owner = 'one'): FenceKeeper => new FenceKeeper(world, owner);

/** Lets time pass as in a running process, which checks the fence every ten seconds. */
async function run(milliseconds: number, ...keepers: FenceKeeper[]): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 10_000) {
    original.clock.advance(10_000);
    for (const keeper of keepers) await keeper.step();
  }
}

const MINUTES = 60_000;
const remove = async (world: Inhabited) =>
  deleteMedia(world, await addImage(world, world.workspace.id), (_, cause) => {
    throw cause;
  });

describe('changing the fence', () => {
  test('starts 90 seconds after the process starts, and repeats every minute', async () => {
    const keeper = keeperOf(original);
    const fences: Fence[] = [];
    const look = async () => fences.push(await original.fence.find());
    await run(80_000, keeper);
    await look();
    await run(10_000, keeper);
    await look();
    await run(50_000, keeper);
    await look();
    await run(10_000, keeper);
    await look();
    const [none, first, same, second] = fences;
    expect(none).toEqual({ current: null, previous: null, movedTo: null });
    expect(same).toEqual(first as Fence);
    expect(second).toMatchObject({ previous: first?.current ?? '' });
    expect(await original.marker.read()).toMatchObject({ fence: second?.current ?? '' });
    expect(keeper.problem).toBeNull();
  });

  test('is done by one of several processes, and by another within 90 seconds of a kill', async () => {
    const [one, two] = [keeperOf(original), keeperOf(original, 'two')];
    let changes = 0;
    const counted = replacing(original.fence, {
      change: (...given) => {
        changes += 1;
        return original.fence.change(...given);
      },
    });
    const three = keeperOf({ ...original, fence: counted }, 'three');
    await run(5 * MINUTES, one, two, three);
    expect(changes).toBe(0);
    expect([one.isOwner, two.isOwner, three.isOwner]).toEqual([true, true, true]);
    const before = await original.fence.find();
    await run(FENCE_TIMES.first - 10_000, two, three);
    expect((await original.fence.find()).current).not.toBe(before.current);
    expect([two.problem, three.problem]).toEqual([null, null]);
    // `FARTHEST_END` must be twice the longest lease of any kind. The fence's lease is the longest.
    expect(2 * FENCE_TIMES.lease).toBe(FARTHEST_END);
  });

  test('passes to another process immediately when its own process stops', async () => {
    const [one, two] = [keeperOf(original), keeperOf(original, 'two')];
    await run(2 * MINUTES, one, two);
    await one.stop();
    expect(await original.fence.isLeased(original.clock.now())).toBe(false);
    await run(10_000, two);
    expect(await original.fence.isLeased(original.clock.now())).toBe(true);
  });

  test('survives any number of kills between its writes to the database and to the mark', async () => {
    const marker = replacing(original.marker, { swap: () => Promise.reject(new Error('killed')) });
    for (let kills = 0; kills < 3; kills += 1) {
      const killed = keeperOf({ ...original, marker }, `killed ${kills}`);
      expect(await outcomeOf(run(2 * MINUTES, killed))).toThrow('killed');
    }
    const next = keeperOf(original, 'next');
    await run(3 * MINUTES, next);
    expect(next.problem).toBeNull();
    expect(next.isOwner).toBe(true);
  });

  test('survives a mark that an older release writes without a fence', async () => {
    const keeper = keeperOf(original);
    await run(2 * MINUTES, keeper);
    const { id } = await original.library.findOrCreate(newId(), 0);
    await original.marker.write({ library: id, generation: 0, restoring: null });
    await run(2 * MINUTES, keeper);
    expect(keeper.problem).toBeNull();
    expect((await original.marker.read())?.fence).toBe((await original.fence.find()).current ?? '');
  });
});

describe('a copy of the database next to the original', () => {
  test('becomes read-only before its first fence change, so objects that it deleted are not purged', async () => {
    const keeper = keeperOf(original);
    await run(3 * MINUTES, keeper);
    const kept = await addImage(original, original.workspace.id);
    const copy = await cloned(original);
    const copied = keeperOf(copy, 'copy');
    await copied.step();
    expect(copied.problem).toBeNull();
    await copy.media.insert([kept]);
    await copy.media.delete(kept.id, original.clock.now());
    const { bytes } = await original.storage.open(kept.fullName).then((object) => ({ bytes: object?.size }));
    await run(5 * MINUTES, copied, keeper);
    expect(copied.problem).toEqual({ reason: 'copy' });
    expect(copied.isOwner).toBe(false);
    expect(await copy.deletions.list(10)).toHaveLength(1);
    expect(keeper.problem).toBeNull();
    expect((await original.storage.open(kept.fullName))?.size).toBe(bytes as number);
  });

  test('becomes read-only even if its processes never stop and the original is restarted', async () => {
    await run(3 * MINUTES, keeperOf(original));
    const copy = await cloned(original);
    const [copied, keeper] = [keeperOf(copy, 'copy'), keeperOf(original, 'next')];
    await run(5 * MINUTES, keeper, copied);
    expect([keeper.problem, copied.problem]).toEqual([null, { reason: 'copy' }]);
  });

  test('becomes read-only if it was made before the original stopped, however late the original restarts', async () => {
    const stopped = keeperOf(original);
    await run(100_000, stopped);
    const copied = keeperOf(await cloned(original), 'copy');
    await run(20_000, copied, stopped);
    await stopped.stop();
    await run(70_000, copied);
    expect(copied.problem).toEqual({ reason: 'copy' });
    const keeper = keeperOf(original, 'next');
    await run(5 * MINUTES, copied, keeper);
    expect([keeper.problem, keeper.isOwner]).toEqual([null, true]);
  });

  test('finds the lease released after the original has stopped, even if the storage hangs', async () => {
    const hanging = Promise.withResolvers<never>();
    let hangs = false;
    const read = () => (hangs ? hanging.promise : original.marker.read());
    const keeper = keeperOf({ ...original, marker: { ...original.marker, read } });
    await run(100_000, keeper);
    hangs = true;
    await keeper.stop(Promise.resolve());
    expect(await original.fence.isLeased(original.clock.now())).toBe(false);
  });

  test('changes nothing if it stops before its first fence change', async () => {
    const keeper = keeperOf(original);
    await run(3 * MINUTES, keeper);
    const copied = keeperOf(await cloned(original), 'copy');
    await run(50_000, copied);
    const before = await original.marker.read();
    await copied.stop();
    expect(await original.marker.read()).toEqual(before);
  });

  test("doesn't become the owner if its clock is set ahead", async () => {
    const keeper = keeperOf(original);
    await run(100_000, keeper);
    const copied = keeperOf(await cloned(original), 'copy');
    await copied.step();
    original.clock.set(original.clock.now() + 60 * MINUTES);
    await copied.step();
    await run(2 * MINUTES, keeper, copied);
    expect([keeper.problem, copied.problem]).toEqual([null, { reason: 'copy' }]);
  });

  test('stays read-only when an older release writes a mark without a fence', async () => {
    const keeper = keeperOf(original);
    const copied = keeperOf(await cloned(original), 'copy');
    await run(3 * MINUTES, keeper, copied);
    const { id } = await original.library.findOrCreate(newId(), 0);
    await original.marker.write({ library: id, generation: 0, restoring: null });
    await run(2 * MINUTES, copied, keeper);
    expect([keeper.problem, copied.problem]).toEqual([null, { reason: 'copy' }]);
  });

  test('takes over after the original has stopped, and makes the original read-only when that restarts', async () => {
    await run(3 * MINUTES, keeperOf(original));
    const copy = await cloned(original);
    const copied = keeperOf(copy, 'copy');
    await run(5 * MINUTES, copied);
    expect(copied.problem).toBeNull();
    const back = keeperOf(original, 'back');
    await back.step();
    expect(back.problem).toEqual({ reason: 'copy' });
  });

  test('may write once it has adopted the storage, which makes the original read-only', async () => {
    const keeper = keeperOf(original);
    const old = await cloned(original);
    await run(5 * MINUTES, keeper);
    const restored = keeperOf(old, 'restored');
    await restored.step();
    expect(restored.problem).toEqual({ reason: 'copy' });
    await adoptStorage(old);
    await restored.step();
    await keeper.step();
    expect([restored.problem, keeper.problem]).toEqual([null, { reason: 'copy' }]);
    expect(await old.library.find()).toMatchObject({ restoredAt: original.clock.now() });
  });
});

describe('a deleted object', () => {
  test('is purged after the next fence change that begins after its deletion, and not before', async () => {
    const keeper = keeperOf(original);
    await run(100_000, keeper);
    await remove(original);
    await run(30_000, keeper);
    expect(await publishedKeys(original)).toHaveLength(1);
    await run(30_000, keeper);
    expect(await publishedKeys(original)).toEqual([]);
    expect(await original.deletions.list(10)).toEqual([]);
  });

  test('is left for the next fence change if purging takes long', async () => {
    for (let count = 0; count < 20; count += 1) await remove(original);
    const slow = async (key: string) => {
      original.clock.advance(10_000);
      await original.storage.purge(key);
    };
    const keeper = keeperOf({ ...original, storage: replacing(original.storage, { purge: slow }) });
    await run(100_000, keeper);
    const { length } = await publishedKeys(original);
    expect(length).toBeWithin(1, 20);
    expect(await original.deletions.list(20)).toHaveLength(length);
    await run(10 * MINUTES, keeper);
    expect(await publishedKeys(original)).toEqual([]);
  });

  test('is also purged from the trash', async () => {
    const keeper = keeperOf(original);
    await remove({ ...original, isPublic: true });
    expect(await Array.fromAsync(original.trash.list())).toHaveLength(1);
    await run(2 * MINUTES, keeper);
    expect(await Array.fromAsync(original.trash.list())).toEqual([]);
  });

  test('stays if another process changed the mark, or if it was deleted during the fence change', async () => {
    const keeper = keeperOf({
      ...original,
      marker: replacing(original.marker, {
        swap: async (from, to) => {
          if (to.fence !== undefined) await remove(original);
          return original.marker.swap(from, to);
        },
      }),
    });
    await run(90_000, keeper);
    expect(await publishedKeys(original)).toHaveLength(1);
    const lost = replacing(original.marker, { swap: async () => false });
    await run(3 * MINUTES, keeperOf({ ...original, marker: lost }, 'two'));
    expect(await publishedKeys(original)).toHaveLength(1);
  });

  test('whose purge fails is retried later, without delaying the others', async () => {
    // Purging these items fails. They outnumber the concurrent purges, and come before the one item that can be purged.
    for (let count = 0; count < 10; count += 1) await remove(original);
    const stuck = await publishedKeys(original);
    await remove(original);
    let fails = true;
    const storage = replacing(original.storage, {
      purge: (key) =>
        fails && stuck.includes(key) ? Promise.reject(new Error('out of reach')) : original.storage.purge(key),
    });
    const keeper = keeperOf({ ...original, storage });
    await run(90_000, keeper);
    expect(keeper.failure).toEqual(new Error('out of reach'));
    expect(await publishedKeys(original)).toEqual(stuck);
    await run(2 * MINUTES, keeper);
    expect(keeper.failure).not.toBeNull();
    fails = false;
    await run(2 * MINUTES, keeper);
    expect(keeper.failure).toBeNull();
    expect(await publishedKeys(original)).toEqual([]);
  });

  test('is purged even if more earlier purges fail than are handled per fence change', async () => {
    const at = original.clock.now();
    const uploads = Array.from({ length: 10_000 }, () => ({ id: newId(), fullName: null, deletedAt: at }));
    for (let start = 0; start < uploads.length; start += 1000) {
      await original.deletions.record(uploads.slice(start, start + 1000));
    }
    original.clock.advance(1);
    await remove(original);
    const presignStorage = replacing(original.presignStorage, { purge: () => Promise.reject(new Error('denied')) });
    const keeper = keeperOf({ ...original, presignStorage });
    await run(90_000, keeper);
    expect(await publishedKeys(original)).toHaveLength(1);
    await run(MINUTES, keeper);
    expect(await publishedKeys(original)).toEqual([]);
    await run(MINUTES, keeperOf(original, 'later'), keeper);
    expect(keeper.failure).toEqual(new Error('denied'));
  });
});

describe('a library that was copied elsewhere', () => {
  let target: Inhabited;

  beforeEach(async () => {
    const { marker, storage } = await untouchedWorld();
    target = { ...original, marker, storage };
  });

  const expectMoved = async (world: World, problem: FenceProblem | null = null): Promise<void> => {
    const keeper = keeperOf(world, 'moved');
    await run(4 * MINUTES, keeper);
    expect(keeper.problem).toEqual(problem);
    await keeper.stop();
  };

  test('is read-only at its old storage, unless it was in use during the copy', async () => {
    const keeper = keeperOf(original);
    await run(2 * MINUTES, keeper);
    const inAdvance = await markTarget(target);
    expect(await markSource(original, inAdvance, original.marker, 'the bucket')).toBe(false);
    await keeper.stop();
    // The source was in use when the copy began.
    expect(await markSource(original, inAdvance, original.marker, 'the bucket')).toBe(false);
    expect(await markSource(original, await markTarget(target), original.marker, 'the bucket')).toBe(true);
    await keeper.step();
    expect(keeper.problem).toEqual({ reason: 'moved', to: 'the bucket' });
    await expectMoved(target);
    await adoptStorage(original);
    await keeper.step();
    expect(keeper.problem).toBeNull();
  });

  test('is not taken for a copy at its new storage, however long copying in advance took', async () => {
    const keeper = keeperOf(original);
    await run(2 * MINUTES, keeper);
    await markTarget(target);
    await run(5 * MINUTES, keeper);
    await keeper.stop();
    await expectMoved(target);
  });

  test('stays writable at its new storage if copying is repeated with either database', async () => {
    await run(2 * MINUTES, keeperOf(original));
    await original.fence.releaseLease('one');
    const moved = { ...(await cloned(original)), marker: target.marker, storage: target.storage };
    await original.fence.set({ movedTo: 'PostgreSQL' });
    await markTarget(target);
    await expectMoved(moved);
    for (const world of [target, moved]) {
      await markTarget(world);
      await expectMoved(moved);
    }
  });

  test('is not marked as moved if it was in use after the new storage was marked', async () => {
    const marked = await markTarget(target);
    const keeper = keeperOf(original);
    await run(2 * MINUTES, keeper);
    await keeper.stop();
    expect(await markSource(original, marked, original.marker, 'the bucket')).toBe(false);
  });
});
