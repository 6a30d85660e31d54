import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { ActiveMedia, Workspace } from '@postshelf/domain';
import { sampleImage } from '@postshelf/testing/contracts/samples';
import { CHECK_INTERVAL, type CheckOptions, checkObjects } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { publish } from '../support/objects.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const LEASE_TIME = 60_000;

let world: World;
let workspace: Workspace;
let found: string[];

beforeEach(async () => {
  const inhabited = await inhabitedWorld();
  [world, workspace, found] = [inhabited, inhabited.workspace, []];
});

const options = (change: Partial<CheckOptions> = {}): CheckOptions => ({
  owner: 'one',
  pause: async () => undefined,
  signal: new AbortController().signal,
  onMissing: ({ id, problem }, count) => void found.push(`${count} ${id} ${problem}`),
  ...change,
});

/** Items with their objects, in the order of their ids. */
async function addItems(count: number): Promise<readonly ActiveMedia[]> {
  const items: ActiveMedia[] = [];
  for (let number = 0; number < count; number += 1) {
    const sample = sampleImage(workspace.id, { id: world.ids.next() });
    const item = { ...sample, content: { ...sample.content, size: 3 } };
    await world.media.insert([item]);
    await publish(world, item.fullName, new Uint8Array(3));
    items.push(item);
  }
  return items.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Stops the check while it is at the item. */
const stoppedAt = (item: ActiveMedia | undefined) => {
  const stopping = new AbortController();
  const open = (key: string) => {
    if (key === item?.fullName) stopping.abort();
    return world.storage.open(key);
  };
  return { ports: { ...world, storage: replacing(world.storage, { open }) }, signal: stopping.signal };
};

/** Counts the objects that are checked, by key. */
function counting() {
  const looks: string[] = [];
  const open = (key: string) => {
    looks.push(key);
    return world.storage.open(key);
  };
  return { ports: { ...world, storage: replacing(world.storage, { open }) }, looks };
}

describe('a check of all objects', () => {
  test('reports every active item whose object is missing or has another size, and nothing else', async () => {
    const items = await addItems(250);
    const [one, two] = [items[7], items[180]] as [ActiveMedia, ActiveMedia];
    await world.storage.remove(one.fullName);
    await world.storage.remove(two.fullName);
    await publish(world, two.fullName, new Uint8Array(1));
    expect(await checkObjects(world, options())).toBe('finished');
    expect(found).toEqual([`1 ${one.id} missing`, `2 ${two.id} size`]);
    expect(await world.objectChecks.find()).toMatchObject({
      startedAt: null,
      finishedAt: world.clock.now(),
      lastChecked: 250,
      lastMissing: 2,
    });
  });

  test('pauses after each object, and checks one at a time', async () => {
    await addItems(3);
    let [pauses, open] = [0, 0];
    const storage = replacing(world.storage, {
      open: async (key) => {
        open += 1;
        expect(open).toBe(1);
        const object = await world.storage.open(key);
        open -= 1;
        return object;
      },
    });
    const pause = async (): Promise<void> => {
      pauses += 1;
    };
    await checkObjects({ ...world, storage }, options({ pause }));
    expect(pauses).toBe(3);
  });

  test('does not report an item that is deleted meanwhile', async () => {
    const [item] = (await addItems(1)) as [ActiveMedia];
    const open = async (key: string) => {
      await world.media.remove(item.id);
      await world.storage.remove(key);
      return world.storage.open(key);
    };
    await checkObjects({ ...world, storage: replacing(world.storage, { open }) }, options());
    expect(found).toEqual([]);
  });

  test('starts again a week after the last one, or when the clock was set back', async () => {
    expect(await checkObjects(world, options())).toBe('finished');
    world.clock.advance(CHECK_INTERVAL - 1);
    expect(await checkObjects(world, options())).toBe('not_due');
    world.clock.advance(1);
    expect(await checkObjects(world, options())).toBe('finished');
    world.clock.advance(-1);
    expect(await checkObjects(world, options())).toBe('finished');
  });

  test('continues where it was stopped, with the count of problems so far', async () => {
    const items = await addItems(10);
    await world.storage.remove(items[2]?.fullName ?? '');
    const { ports, signal } = stoppedAt(items[5]);
    expect(await checkObjects(ports, options({ signal }))).toBe('stopped');
    expect(await world.objectChecks.find()).toMatchObject({ checked: 6, missing: 1, cursor: items[5]?.id });
    const { ports: next, looks } = counting();
    expect(await checkObjects(next, options({ owner: 'two' }))).toBe('finished');
    expect(looks).toEqual(items.slice(6).map((item) => item.fullName));
    expect(await world.objectChecks.find()).toMatchObject({ lastChecked: 10, lastMissing: 1 });
  });

  test('saves its position every ten seconds, so that another process can continue after a kill', async () => {
    const items = await addItems(10);
    const killed = async () => {
      world.clock.advance(4_000);
      if ((await world.objectChecks.find()).checked === 4) await new Promise<never>(() => undefined);
    };
    void checkObjects(world, options({ pause: killed }));
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(await checkObjects(world, options({ owner: 'two' }))).toBe('held');
    world.clock.advance(LEASE_TIME);
    const { ports, looks } = counting();
    expect(await checkObjects(ports, options({ owner: 'two' }))).toBe('finished');
    expect(looks).toEqual(items.slice(4).map((item) => item.fullName));
  });

  test('stops when the storage is unreachable, saves its position, and reports nothing as missing', async () => {
    const items = await addItems(5);
    const open = (key: string) => {
      if (key === items[3]?.fullName) throw new Error('out of reach');
      return world.storage.open(key);
    };
    const storage = replacing(world.storage, { open: async (key) => open(key) });
    await expect(checkObjects({ ...world, storage }, options())).rejects.toThrow('out of reach');
    expect(found).toEqual([]);
    expect(await world.objectChecks.find()).toMatchObject({ cursor: items[2]?.id });
    expect(await checkObjects(world, options({ owner: 'two' }))).toBe('finished');
  });
});
