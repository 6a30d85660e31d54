import { afterEach, expect, test } from 'bun:test';
import type { ActiveMedia } from '@postshelf/domain';
import { sampleProcessing } from '@postshelf/testing/contracts/samples';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { type ObjectProblem, verify } from '../../src/index.ts';
import { digest } from '../support/bodies.ts';
import { databases } from '../support/databases.ts';
import { addImages } from '../support/objects.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const verifyAll = async (world: World, hashes = true) => {
  const problems: ObjectProblem[] = [];
  const report = await verify({ ...world, digest }, { hashes, onProblem: (problem) => void problems.push(problem) });
  expect(report.problems).toBe(problems.length);
  return { ...report, problems };
};

/** Creates a library with more items than fit into a batch, and changes the objects of some items. */
async function library(count: number) {
  const world = await inhabitedWorld();
  const items = await addImages(world, world.workspace.id, count);
  await world.media.insert([sampleProcessing(world.workspace.id)]);
  return { world, items, bytes: items.reduce((sum, item) => sum + item.content.size, 0) };
}

/** Replaces the bytes under the key of an item. */
function change(world: World, { fullName }: ActiveMedia, make: (bytes: Uint8Array) => Uint8Array): void {
  const entry = world.backing.published.get(fullName);
  if (!entry) throw new Error('There is no such object.');
  world.backing.published.set(fullName, { ...entry, bytes: new Uint8Array(make(entry.bytes)) });
}

const flipped = (bytes: Uint8Array): Uint8Array => bytes.with(bytes.length >> 1, (bytes[bytes.length >> 1] ?? 0) ^ 1);

test('verification finds no problem in a library with all its objects', async () => {
  const { world, bytes } = await library(1001);
  expect(await verifyAll(world)).toEqual({ objects: 1001, bytes, problems: [] });
  expect(await verifyAll(world, false)).toEqual({ objects: 1001, bytes, problems: [] });
});

test('verification compares only the size if the row has no hash', async () => {
  const { world, items } = await library(1);
  const [item] = items;
  if (!item) throw new Error('There is one.');
  await world.media.delete(item.id);
  await world.media.insert([{ ...item, content: { ...item.content, sha256: null } }]);
  change(world, item, flipped);
  expect((await verifyAll(world)).problems).toEqual([]);
  change(world, item, (bytes) => bytes.subarray(1));
  expect((await verifyAll(world)).problems).toHaveLength(1);
});

for (const when of ['before it is opened', 'between its opening and its first byte']) {
  test(`verification ignores an item that is deleted ${when}`, async () => {
    const { world, items } = await library(3);
    const doomed = items[1];
    if (!doomed) throw new Error('There are three.');
    const storage = replacing(world.storage, {
      open: async (key) => {
        const object = await world.storage.open(key);
        if (key !== doomed.fullName || object === null) return object;
        await world.media.delete(doomed.id);
        await world.storage.purge(key);
        if (when === 'before it is opened') return null;
        const body = () =>
          new ReadableStream<Uint8Array>({ start: (controller) => controller.error(new Error('ENOENT')) });
        return { ...object, body };
      },
    });
    expect((await verifyAll({ ...world, storage })).problems).toEqual([]);
  });
}

test('a failing storage ends the verification', async () => {
  const { world } = await library(1);
  const storage = replacing(world.storage, {
    open: async (key) => {
      const object = await world.storage.open(key);
      const body = () => new ReadableStream<Uint8Array>({ start: (controller) => controller.error(new Error('EIO')) });
      return object && { ...object, body };
    },
  });
  expect(await outcomeOf(verifyAll({ ...world, storage }))).toThrow('EIO');
});
