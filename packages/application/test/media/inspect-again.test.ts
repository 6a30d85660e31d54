import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  type ActiveMedia,
  type MediaDetails,
  type MediaInspector,
  type ObjectStorage,
  Refusal,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import { sampleImage } from '@postshelf/testing/contracts/samples';
import { countUninspected, type InspectAgainOptions, type InspectedItem, inspectAgain } from '../../src/index.ts';
import { digest } from '../support/bodies.ts';
import { databases } from '../support/databases.ts';
import { JPEG } from '../support/files.ts';
import { bodyOf, publish } from '../support/objects.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const DETAILS: MediaDetails = { image: { frames: 1, hasAlpha: false }, video: null };
const NOTHING: MediaDetails = { image: { frames: null, hasAlpha: null }, video: null };
const { sha256: HASH } = await digest(bodyOf(JPEG));

let world: World;
let workspace: Workspace;
let inspected: InspectedItem[];

beforeEach(async () => {
  const inhabited = await inhabitedWorld();
  const inspector: MediaInspector = replacing(inhabited.inspector, {
    inspect: async (source) => {
      const facts = await inhabited.inspector.inspect(source);
      return facts === null || facts === 'damaged' ? facts : { ...facts, details: DETAILS };
    },
  });
  [world, workspace, inspected] = [{ ...inhabited, inspector }, inhabited.workspace, []];
});

const runInspection = (ports: World = world, change: Partial<InspectAgainOptions> = {}) =>
  inspectAgain(ports, {
    signal: new AbortController().signal,
    wait: async () => undefined,
    random: () => 0,
    onInspected: (item) => void inspected.push(item),
    ...change,
  });

const withStorage = (members: Partial<ObjectStorage>): World => ({
  ...world,
  storage: replacing(world.storage, members),
});

/** Adds items and objects as an older version stored them, in the order of their ids. */
async function addItems(
  count: number,
  { bytes = JPEG, size = JPEG.length, sha256 = null as string | null, details = null as MediaDetails | null } = {},
): Promise<ActiveMedia[]> {
  const items: ActiveMedia[] = [];
  for (let number = 0; number < count; number += 1) {
    const sample = sampleImage(workspace.id, { id: world.ids.next() });
    const item: ActiveMedia = { ...sample, content: { ...sample.content, type: 'image/jpeg', size, sha256, details } };
    await world.media.insert([item]);
    await publish(world, item.fullName, bytes);
    items.push(item);
  }
  return items;
}

/** Returns what is now known about the item. Checks that nothing else about the item has changed. */
async function known(item: ActiveMedia) {
  const found = (await world.media.find(item.id))?.item;
  if (found?.status !== 'active') throw new Error('The item stays active.');
  const { details, sha256 } = found.content;
  expect(found).toEqual({ ...item, version: found.version, content: { ...item.content, details, sha256 } });
  return { details, sha256 };
}

const outcomes = () => inspected.map(({ id, outcome }) => [id, outcome] as const);
const missing = () => Promise.resolve(null);
const outOfReach = () => Promise.reject(new Refusal({ code: 'unavailable', message: 'The storage is unavailable.' }));

describe('files that an older version stored without inspection', () => {
  test('are all inspected in order, even if they fill several pages', async () => {
    const items = await addItems(150);
    const [whole] = (await addItems(1, { sha256: HASH, details: DETAILS })) as [ActiveMedia];
    expect(await countUninspected(world)).toBe(150);
    expect(await runInspection()).toBe('finished');
    expect(outcomes()).toEqual(items.map(({ id }) => [id, 'sound']));
    for (const item of items) expect(await known(item)).toEqual({ details: DETAILS, sha256: HASH });
    expect(await known(whole)).toEqual({ details: DETAILS, sha256: HASH });
    expect(await countUninspected(world)).toBe(0);
  });

  test('are inspected only for the details or hashes that their rows lack', async () => {
    const other = 'cd'.repeat(32);
    const [hashed] = (await addItems(1, { sha256: other })) as [ActiveMedia];
    const [reported] = (await addItems(1, { details: NOTHING })) as [ActiveMedia];
    await runInspection();
    expect(await known(hashed)).toEqual({ details: DETAILS, sha256: other });
    expect(await known(reported)).toEqual({ details: NOTHING, sha256: HASH });
  });

  test('that are invalid, missing or unreadable are reported once, and never inspected again', async () => {
    const bad = new Uint8Array(JPEG.length);
    const { sha256 } = await digest(bodyOf(bad));
    const cases: readonly (readonly [Promise<ActiveMedia[]>, InspectedItem['outcome'], string | null])[] = [
      [addItems(1, { bytes: bad }), 'damaged', sha256],
      [addItems(1, { bytes: bad, sha256: HASH }), 'damaged', HASH],
      [addItems(1, { size: 1000 }), 'damaged', null],
      [addItems(1, { size: 1000, sha256: HASH }), 'damaged', HASH],
      [addItems(1), 'missing', null],
      [addItems(1, { sha256: HASH }), 'missing', HASH],
      [addItems(1), 'unreadable', null],
    ];
    const items = (await Promise.all(cases.map(([added]) => added))).flat();
    for (const [index, [, outcome]] of cases.entries()) {
      if (outcome === 'missing') await world.storage.purge(items[index]?.fullName ?? '');
    }
    const unreadable = items.at(-1)?.fullName;
    const storage = withStorage({
      open: (key) => (key === unreadable ? outOfReach() : world.storage.open(key)),
    });
    expect(await runInspection(storage)).toBe('finished');
    expect(new Map(outcomes())).toEqual(new Map(items.map(({ id }, index) => [id, cases[index]?.[1] ?? 'sound'])));
    for (const [index, item] of items.entries()) {
      expect(await known(item)).toEqual({ details: NOTHING, sha256: cases[index]?.[2] ?? null });
    }
    expect(inspected).toHaveLength(items.length);
    expect(await runInspection()).toBe('finished');
    expect(inspected).toHaveLength(items.length);
    expect(await countUninspected(world)).toBe(0);
  });

  test('are tried again in the same run if they were missing or unreadable', async () => {
    const [item] = (await addItems(1)) as [ActiveMedia];
    for (const first of [missing, outOfReach]) {
      let isFirst = true;
      const open = (key: string) => {
        const answer = isFirst ? first() : world.storage.open(key);
        isFirst = false;
        return answer;
      };
      expect(await runInspection(withStorage({ open }))).toBe('finished');
    }
    expect(outcomes()).toEqual([[item.id, 'sound']]);
  });

  test('are not inspected while the storage is unreachable, empty, of another library, or being restored', async () => {
    const items = await addItems(3);
    const own = await world.marker.read();
    if (own === null) throw new Error('The storage has a mark.');
    const marks: readonly World['marker']['read'][] = [
      outOfReach,
      missing,
      async () => ({ ...own, library: workspace.id }),
      async () => ({ ...own, restoring: 1 }),
    ];
    for (const read of marks) {
      for (const open of [missing, outOfReach]) {
        const ports = { ...withStorage({ open }), marker: replacing(world.marker, { read }) };
        expect(await runInspection(ports)).toBe('unreachable');
      }
    }
    expect(inspected).toEqual([]);
    for (const item of items) expect(await known(item)).toEqual({ details: null, sha256: null });
    expect(await runInspection()).toBe('finished');
  });

  test('that are deleted meanwhile are not reported', async () => {
    const [item] = (await addItems(1)) as [ActiveMedia];
    const open = async (key: string) => {
      const object = await world.storage.open(key);
      await world.media.delete(item.id);
      return object;
    };
    expect(await runInspection(withStorage({ open }))).toBe('finished');
    expect(inspected).toEqual([]);
  });

  test('that a stopped worker has not inspected are inspected by the next run', async () => {
    const items = await addItems(4);
    const stopping = new AbortController();
    const open = (key: string) => {
      if (key === items[2]?.fullName) stopping.abort();
      return world.storage.open(key);
    };
    expect(await runInspection(withStorage({ open }), { signal: stopping.signal })).toBe('stopped');
    expect(inspected).toHaveLength(2);
    expect(await known(items[2] as ActiveMedia)).toEqual({ details: null, sha256: null });
    expect(await runInspection()).toBe('finished');
    expect(outcomes()).toEqual(items.map(({ id }) => [id, 'sound']));
  });

  test('wait for a slot while requests hold all of them', async () => {
    await addItems(1);
    const given = [1, 2].map(() => world.shares.tryTake('hashes', workspace.id));
    let waits = 0;
    const wait = async (): Promise<void> => {
      expect(inspected).toEqual([]);
      waits += 1;
      if (waits === 3) given[0]?.();
    };
    expect(await runInspection(world, { wait })).toBe('finished');
    expect(waits).toBe(3);
    expect(world.shares.figures('hashes')).toMatchObject({ inUse: 1, refused: 0 });
  });

  test('are divided between two processes, which rarely read the same file', async () => {
    const items = await addItems(150);
    let reads = 0;
    const ports = withStorage({
      open: (key) => {
        reads += 1;
        return world.storage.open(key);
      },
    });
    // One process takes items from the beginning of the window, the other from its end.
    await Promise.all([runInspection(ports, { random: () => 0 }), runInspection(ports, { random: () => 0.999 })]);
    expect(reads).toBeLessThan(items.length + 10);
    expect(new Set<Uuid>(inspected.map(({ id }) => id)).size).toBe(items.length);
    expect(await countUninspected(world)).toBe(0);
  });
});
