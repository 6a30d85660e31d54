import { afterEach, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { type ActiveMedia, type ObjectStorage, Refusal, type StoredObject } from '@postshelf/domain';
import {
  addWorkspace,
  sampleCover,
  sampleImage,
  sampleProcessing,
  sampleVideo,
} from '@postshelf/testing/contracts/samples';
import { memoryBacking, memoryStorage } from '@postshelf/testing/fakes';
import { thrownBy } from '@postshelf/testing/outcomes';
import { type CopyProblem, copyObjects } from '../../src/index.ts';
import { digest } from '../support/bodies.ts';
import { databases } from '../support/databases.ts';
import { bytesUnder, publish, publishedKeys } from '../support/objects.ts';
import { replacing } from '../support/world.ts';

afterEach(databases.closeAll);

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Returns the item with these bytes as its content. */
const filled = (item: ActiveMedia, bytes: Uint8Array, hash: string | null = sha256(bytes)): ActiveMedia => ({
  ...item,
  content: { ...item.content, size: bytes.length, sha256: hash },
});

/** Makes a library of seven objects in one storage, and a second, empty storage. */
async function makeLibrary() {
  const stores = await databases.open();
  const { id } = await addWorkspace(stores);
  const source = memoryStorage();
  const backing = memoryBacking();
  const target = memoryStorage({ backing });
  const video = sampleVideo(id);
  const bare = [video, sampleCover(video), ...Array.from({ length: 5 }, () => sampleImage(id))];
  // One file was sent directly to the storage, so its hash is unknown.
  const items = bare.map((item, n) => filled(item, bytesOf(`object ${n}`), n === 3 ? null : undefined));
  for (const [n, item] of items.entries()) await publish({ storage: source }, item.fullName, bytesOf(`object ${n}`));
  await stores.media.insert([...items, sampleProcessing(id)]);
  return { media: stores.media, source, target, backing, digest, items, isPublic: false };
}

type TestLibrary = Awaited<ReturnType<typeof makeLibrary>>;

/** Copies the objects, and returns the report with its problems in the order of their keys. */
async function copy(library: Pick<TestLibrary, 'media' | 'source' | 'target' | 'isPublic'>, hashes = true) {
  const found: CopyProblem[] = [];
  const report = await copyObjects(
    { ...library, digest },
    { hashes, onProblem: (problem) => void found.push(problem) },
  );
  expect(report.problems).toBe(found.length);
  return { ...report, found: found.sort((a, b) => (a.key < b.key ? -1 : 1)) };
}

async function expectWhole({ source, target, items, backing }: TestLibrary): Promise<void> {
  expect(await publishedKeys({ storage: target })).toEqual(items.map((item) => item.fullName).sort());
  for (const { fullName } of items) {
    expect(await bytesUnder({ storage: target }, fullName)).toEqual(await bytesUnder({ storage: source }, fullName));
  }
  expect(backing.staged.size).toBe(0);
}

const ALL = { objects: 7, bytes: 7 * 'object 0'.length };
const NONE = { objects: 0, bytes: 0 };

describe('copying objects', () => {
  test('copies the objects of all active items and covers, and copies nothing the second time', async () => {
    const library = await makeLibrary();
    expect(await copy(library)).toEqual({ ...ALL, copied: ALL, problems: 0, found: [] });
    await expectWhole(library);
    expect(await copy(library)).toEqual({ ...ALL, copied: NONE, problems: 0, found: [] });
  });

  test('reports its progress', async () => {
    const library = await makeLibrary();
    const steps: number[] = [];
    await copyObjects(library, {
      hashes: false,
      onProblem: () => undefined,
      onProgress: (done, all) => {
        expect(all).toEqual(ALL);
        steps.push(done.objects);
      },
    });
    expect(steps).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test('can be continued after an interruption at any call', async () => {
    for (let calls = 1; ; calls += 1) {
      const library = await makeLibrary();
      const isCutOff = await copy({ ...library, target: cutOffAfter(library.target, calls) }).then(
        () => false,
        (error: unknown) => error instanceof Refusal,
      );
      const { found, ...report } = await copy(library);
      expect({ calls, found, ...report }).toMatchObject({ calls, ...ALL, problems: 0, found: [] });
      library.backing.staged.clear();
      await expectWhole(library);
      if (!isCutOff) break;
      expect(calls).toBeLessThan(100);
    }
  });

  test('reads nothing back if only sizes are compared', async () => {
    const library = await makeLibrary();
    const target = replacing(library.target, {
      open: async (key) => {
        const object = await library.target.open(key);
        return object && { size: object.size, body: mustNotBeRead };
      },
    });
    expect(await copy({ ...library, target }, false)).toMatchObject({ copied: ALL, problems: 0 });
    await expectWhole(library);
  });

  test('skips objects deleted since they were listed', async () => {
    const library = await makeLibrary();
    const [, , , , gone] = library.items;
    const source = opening(library.source, gone, async () => {
      if (gone) await library.media.delete(gone.id);
      return null;
    });
    expect(await copy({ ...library, source })).toMatchObject({ copied: { objects: 6 }, problems: 0 });
  });

  test('accepts objects that another copy has written meanwhile', async () => {
    const library = await makeLibrary();
    const target = replacing(library.target, {
      stage: async (body, options) => {
        const staged = await library.target.stage(body, options);
        return replacing(staged, {
          publish: async (key) => {
            const bytes = await staged.read(0, staged.size);
            await publish({ storage: library.target }, key, bytes);
            await staged.publish(key);
          },
        });
      },
    });
    expect(await copy({ ...library, target })).toMatchObject({ problems: 0 });
    await expectWhole(library);
  });
});

describe('copying reports a problem and copies the rest', () => {
  const rows: readonly [
    string,
    Partial<CopyProblem>,
    (library: TestLibrary, item: ActiveMedia) => Promise<TestLibrary | undefined>,
  ][] = [
    [
      'a missing object',
      { at: 'source', problem: 'missing', expected: null, found: null },
      async ({ source }, item) => {
        await source.purge(item.fullName);
        return undefined;
      },
    ],
    [
      'a truncated object',
      { at: 'source', problem: 'size', expected: '8', found: '7' },
      async ({ source }, item) => {
        await replace(source, item, 'object ');
        return undefined;
      },
    ],
    [
      'an object whose bytes have changed',
      { at: 'source', problem: 'hash', found: sha256(bytesOf('changed!')) },
      async ({ source }, item) => {
        await replace(source, item, 'changed!');
        return undefined;
      },
    ],
    [
      'an object that breaks off while it is read',
      { at: 'source', problem: 'unreadable', expected: null, found: 'EIO: i/o error, read' },
      async (library, item) => ({
        ...library,
        source: opening(library.source, item, async () => ({ size: item.content.size, body: breakingOff })),
      }),
    ],
    [
      'an object whose copy on the target has another size',
      { at: 'target', problem: 'size', expected: '8', found: '5' },
      async ({ target }, item) => {
        await publish({ storage: target }, item.fullName, bytesOf('other'));
        return undefined;
      },
    ],
    [
      'an object whose copy on the target has the same size but other bytes',
      { at: 'target', problem: 'hash', found: sha256(bytesOf('tampered')) },
      async ({ target }, item) => {
        await publish({ storage: target }, item.fullName, bytesOf('tampered'));
        return undefined;
      },
    ],
  ];
  for (const [what, problem, spoil] of rows) {
    // The row of item 3 has no hash.
    for (const index of [2, 3]) {
      if (index === 3 && problem.problem === 'hash' && problem.at === 'source') continue;
      test(`for ${what}${index === 3 ? ' (item without a hash)' : ''}`, async () => {
        const library = await makeLibrary();
        const item = library.items[index];
        if (!item) throw new Error('no item');
        const spoilt = (await spoil(library, item)) ?? library;
        const before = await bytesUnder({ storage: library.target }, item.fullName);
        const { found, problems } = await copy(spoilt);
        expect({ found, problems }).toMatchObject({
          problems: 1,
          found: [{ id: item.id, key: item.fullName, ...problem }],
        });
        expect(await bytesUnder({ storage: library.target }, item.fullName)).toEqual(before);
        const others = library.items.filter((each) => each !== item).map((each) => each.fullName);
        expect(await publishedKeys({ storage: library.target })).toEqual(expect.arrayContaining(others));
        expect(library.backing.staged.size).toBe(0);
      });
    }
  }

  test('except if the target is unreachable, which ends the copy', async () => {
    const library = await makeLibrary();
    const target = replacing(library.target, { stage: async () => Promise.reject(outOfReach()) });
    expect(await thrownBy(copy({ ...library, target }))).toBeInstanceOf(Refusal);
  });
});

const outOfReach = (): Refusal => new Refusal({ code: 'unavailable', message: 'The storage is unavailable.' });

/** Returns a storage that becomes unreachable after this many calls, including those of its staged objects. */
function cutOffAfter(storage: ObjectStorage, calls: number): ObjectStorage {
  let left = calls;
  const count = (): void => {
    left -= 1;
    if (left < 0) throw outOfReach();
  };
  return replacing(storage, {
    open: async (key) => {
      count();
      return storage.open(key);
    },
    stage: async (body, options) => {
      count();
      const staged = await storage.stage(body, options);
      return replacing(staged, {
        publish: async (key) => {
          count();
          await staged.publish(key);
          count();
        },
        discard: async () => {
          count();
          await staged.discard();
        },
      });
    },
  });
}

/** Returns a storage that calls `open` instead of opening the object of one item. */
const opening = (
  storage: ObjectStorage,
  item: ActiveMedia | undefined,
  open: () => Promise<StoredObject | null>,
): ObjectStorage => replacing(storage, { open: (key) => (key === item?.fullName ? open() : storage.open(key)) });

async function replace(storage: ObjectStorage, { fullName }: ActiveMedia, text: string): Promise<void> {
  await storage.purge(fullName);
  await publish({ storage }, fullName, bytesOf(text));
}

const breakingOff = (): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull(controller) {
      controller.error(new Error('EIO: i/o error, read'));
    },
  });

const mustNotBeRead = (): never => {
  throw new Error('It was read back');
};
