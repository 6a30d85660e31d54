import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Workspace } from '@postshelf/domain';
import { newId } from '@postshelf/testing/contracts/samples';
import { thrownBy } from '@postshelf/testing/outcomes';
import { collectGarbage, OwnershipRefused, planCollection, restoreFromTrash } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { addImage, bytesUnder, publish, publishedKeys } from '../support/objects.ts';
import { inhabitedWorld, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const DAY = 24 * 60 * 60 * 1000;

let world: World & { readonly workspace: Workspace };

beforeEach(async () => {
  world = await inhabitedWorld();
});

const addOrphan = async (bytes = new Uint8Array([1])): Promise<string> => {
  const key = `${world.workspace.id}/${newId()}/orphan.jpg`;
  await publish(world, key, bytes);
  return key;
};

const restore = (keys: readonly string[] | 'all') => Array.fromAsync(restoreFromTrash(world, keys));
const inTrash = () => Array.fromAsync(world.trash.list());

describe('restoring from the trash', () => {
  test('restores the given keys, and reports for each the outcome and whether an item has the key', async () => {
    const { fullName } = await addImage(world, world.workspace.id);
    const [one, taken, left] = [await addOrphan(), await addOrphan(), await addOrphan()];
    for (const key of [fullName, one, taken, left]) await world.trash.add(key, world.clock.now());
    await publish(world, taken, new Uint8Array([2]));
    const missing = `${world.workspace.id}/${newId()}/missing.jpg`;
    const reported = await restore([one, taken, missing, fullName, 'no key at all', one]);
    const outcomes = new Map(reported.map(({ key, outcome, hasItem }) => [key, { outcome, hasItem }]));
    expect(reported).toHaveLength(5);
    expect(outcomes.get(one)).toEqual({ outcome: 'restored', hasItem: false });
    expect(outcomes.get(taken)).toEqual({ outcome: 'object_there', hasItem: false });
    expect(outcomes.get(missing)).toEqual({ outcome: 'not_in_trash', hasItem: false });
    expect(outcomes.get('no key at all')).toEqual({ outcome: 'not_in_trash', hasItem: false });
    expect(outcomes.get(fullName)).toEqual({ outcome: 'restored', hasItem: true });
    expect(await bytesUnder(world, taken)).toEqual(new Uint8Array([2]));
    expect((await inTrash()).map(({ key }) => key).sort()).toEqual([taken, left].sort());
    // Orphaned objects are moved to the trash again.
    expect(await collectGarbage(world)).toMatchObject({ trashed: 2 });
  });

  test('restores all objects, but of several with the same key only the latest', async () => {
    const key = await addOrphan(new Uint8Array([1]));
    await world.trash.add(key, 1);
    await publish(world, key, new Uint8Array([2]));
    await world.trash.add(key, 2);
    const other = await addOrphan();
    await world.trash.add(other, 0);
    expect((await restore('all')).map(({ outcome }) => outcome)).toEqual(['restored', 'object_there', 'restored']);
    expect(await bytesUnder(world, key)).toEqual(new Uint8Array([2]));
    expect(await inTrash()).toMatchObject([{ key, trashedAt: 1 }]);
    expect(await publishedKeys(world)).toEqual([key, other].sort());
  });
});

describe('a garbage collection plan', () => {
  const everything = async () => ({
    objects: await publishedKeys(world),
    trash: await inTrash(),
    library: await world.library.find(),
    mark: await world.marker.read(),
  });

  test('reports what the collection would do, and changes nothing', async () => {
    const item = await addImage(world, world.workspace.id);
    await addImage(world, world.workspace.id);
    for (const key of [item.fullName, await addOrphan()]) await world.trash.add(key, world.clock.now());
    world.clock.advance(8 * DAY);
    await addOrphan();
    const before = await everything();
    const reported = await planCollection(world);
    expect(reported).toEqual({ objects: 2, trashed: 1, restored: 1, trash: 1, withheld: null });
    expect(await everything()).toEqual(before);
    expect(await collectGarbage(world)).toMatchObject({ trashed: 1, restored: 1, trash: 1, withheld: null });
  });

  test('reports what would be withheld, and why', async () => {
    await addOrphan();
    await world.library.update({ restoredAt: world.clock.now() });
    const before = await everything();
    expect(await planCollection(world)).toMatchObject({ trashed: 0, withheld: { reason: 'restored', orphans: 1 } });
    expect(await planCollection(world, { hasConsent: true })).toMatchObject({ trashed: 1, withheld: null });
    expect(await everything()).toEqual(before);
  });

  test('is refused for another library’s storage', async () => {
    await world.marker.write({ library: newId(), generation: 0, restoring: null });
    expect(await thrownBy(planCollection(world))).toBeInstanceOf(OwnershipRefused);
  });
});
