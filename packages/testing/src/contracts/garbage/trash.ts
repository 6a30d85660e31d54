import { describe, expect, test } from 'bun:test';
import type { ObjectStorage, Trash, TrashedObject } from '@postshelf/domain';
import { outcomeOf } from '../../outcomes.ts';
import { eachRow } from '../each-row.ts';
import { HOSTILE_KEYS, UNUSUAL_KEYS } from '../objects/hostile-keys.ts';
import { later, listKeys, newKey, publishBytes, readObject, sampleBytes } from '../objects/samples.ts';

/** An empty storage of objects, two instances of the trash in this storage, and a function that cleans up. */
interface OpenedTrash {
  readonly storage: ObjectStorage;
  readonly one: Trash;
  readonly two: Trash;
  close(): Promise<void>;
}

type OpenTrash = () => Promise<OpenedTrash>;

/** Milliseconds since the epoch. */
const THEN = Date.UTC(2026, 0, 31);
const BYTES = sampleBytes(1000);

/** The contract of {@link Trash}. `open` returns a new empty storage. */
export function describeTrash(name: string, open: OpenTrash): void {
  describe(`${name} as a trash`, () => {
    describeSettingAside(open);
    describeBringingBack(open);
    describeEmptying(open);
    describeRaces(open);
  });
}

/** Declares a test that gets a new, empty trash. */
const testInTrash = (open: OpenTrash, title: string, run: (opened: OpenedTrash) => Promise<void>): void =>
  test(title, async () => {
    const opened = await open();
    try {
      await run(opened);
    } finally {
      await opened.close();
    }
  });

const listTrash = (trash: Trash): Promise<TrashedObject[]> => Array.fromAsync(trash.list());

function describeSettingAside(open: OpenTrash): void {
  describe('adding', () => {
    testInTrash(
      open,
      'moves an object from its key to a location that the object storage does not list',
      async ({ storage, one, two }) => {
        const [gone, stays] = [newKey(), newKey()];
        await publishBytes(storage, gone, BYTES);
        await publishBytes(storage, stays, sampleBytes(10));
        expect(await one.add(gone, THEN)).toBe(true);
        expect(await storage.open(gone)).toBeNull();
        expect(await listKeys(storage)).toEqual([stays]);
        expect(await listTrash(two)).toEqual([{ key: gone, size: BYTES.length, trashedAt: THEN }]);
        expect(await storage.discardAbandoned(later())).toBe(0);
        expect(await listTrash(two)).toHaveLength(1);
      },
    );

    testInTrash(open, 'returns false if there is no object, and keeps nothing', async ({ storage, one, two }) => {
      const key = newKey();
      expect(await one.add(key, THEN)).toBe(false);
      await publishBytes(storage, key, BYTES);
      expect(await one.add(key, THEN)).toBe(true);
      expect(await two.add(key, THEN)).toBe(false);
      expect(await listTrash(one)).toHaveLength(1);
    });

    testInTrash(open, 'keeps both objects if a key is used again, even at the same time', async ({ storage, one }) => {
      const key = newKey();
      for (const [at, size] of [
        [THEN, 1],
        [THEN, 2],
        [THEN + 1000, 3],
      ] as const) {
        await publishBytes(storage, key, sampleBytes(size));
        expect(await one.add(key, at)).toBe(true);
      }
      expect(await listTrash(one)).toEqual([
        { key, size: 3, trashedAt: THEN + 1000 },
        { key, size: 2, trashedAt: THEN + 1 },
        { key, size: 1, trashedAt: THEN },
      ]);
    });

    testInTrash(open, 'refuses hostile keys and invalid times', async ({ storage, one }) => {
      await eachRow(HOSTILE_KEYS, async (key) => {
        expect(await outcomeOf(one.add(key, THEN))).toThrow();
        expect(await outcomeOf(one.restore({ key, trashedAt: THEN }))).toThrow();
      });
      const key = newKey();
      await publishBytes(storage, key, BYTES);
      for (const at of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
        expect(await outcomeOf(one.add(key, at))).toThrow(RangeError);
        expect(await outcomeOf(one.restore({ key, trashedAt: at }))).toThrow(RangeError);
      }
      expect(await listKeys(storage)).toEqual([key]);
      expect(await listTrash(one)).toEqual([]);
    });
  });
}

function describeBringingBack(open: OpenTrash): void {
  describe('restoring and removing', () => {
    testInTrash(open, 'returns an object with its bytes once, whatever its key', async ({ storage, one, two }) => {
      await eachRow([['a usual name', newKey()], ...UNUSUAL_KEYS], async (key) => {
        await publishBytes(storage, key, BYTES);
        await one.add(key, THEN);
        expect(await listTrash(two)).toEqual([{ key, size: BYTES.length, trashedAt: THEN }]);
        expect(await two.restore({ key, trashedAt: THEN })).toBe('restored');
        expect(await readObject(storage, key)).toEqual(BYTES);
        expect(await listKeys(storage)).toEqual([key]);
        expect(await listTrash(one)).toEqual([]);
        expect(await one.restore({ key, trashedAt: THEN })).toBe('not_in_trash');
        expect(await readObject(storage, key)).toEqual(BYTES);
        await storage.purge(key);
      });
    });

    testInTrash(open, 'never overwrites an existing object, and keeps both', async ({ storage, one }) => {
      const key = newKey();
      await publishBytes(storage, key, BYTES);
      await one.add(key, THEN);
      await publishBytes(storage, key, sampleBytes(10, 2));
      expect(await one.restore({ key, trashedAt: THEN })).toBe('object_there');
      expect(await readObject(storage, key)).toEqual(sampleBytes(10, 2));
      expect(await listTrash(one)).toHaveLength(1);
    });

    testInTrash(open, 'finds nothing under another key or time', async ({ storage, one }) => {
      const key = newKey();
      await publishBytes(storage, key, BYTES);
      await one.add(key, THEN);
      expect(await one.restore({ key, trashedAt: THEN + 1 })).toBe('not_in_trash');
      expect(await one.restore({ key: newKey(), trashedAt: THEN })).toBe('not_in_trash');
      expect(await listTrash(one)).toHaveLength(1);
    });

    testInTrash(open, 'purges only the object with the given key and time', async ({ storage, one, two }) => {
      const key = newKey();
      for (const at of [THEN, THEN + 1]) {
        await publishBytes(storage, key, BYTES);
        await one.add(key, at);
      }
      await two.purge({ key, trashedAt: THEN });
      await two.purge({ key, trashedAt: THEN });
      await two.purge({ key: newKey(), trashedAt: THEN + 1 });
      expect(await listTrash(one)).toEqual([{ key, size: BYTES.length, trashedAt: THEN + 1 }]);
    });

    testInTrash(open, 'may be repeated after the object was moved to the trash again', async ({ storage, one }) => {
      const key = newKey();
      await publishBytes(storage, key, BYTES);
      for (const trashedAt of [THEN, THEN + 1, THEN]) {
        expect(await one.add(key, trashedAt)).toBe(true);
        expect(await one.restore({ key, trashedAt })).toBe('restored');
      }
      expect(await readObject(storage, key)).toEqual(BYTES);
    });
  });
}

function describeEmptying(open: OpenTrash): void {
  describe('emptying', () => {
    testInTrash(
      open,
      'purges what was moved to the trash before the time, and returns count and bytes',
      async ({ storage, one, two }) => {
        const keys = [newKey(), newKey(), newKey(), newKey()] as const;
        for (const [index, key] of keys.entries()) {
          await publishBytes(storage, key, sampleBytes(index + 1));
          if (index < 3) await one.add(key, THEN + index);
        }
        const freed: number[] = [];
        expect(await two.purgeBefore(THEN)).toBe(0);
        expect(await two.purgeBefore(THEN + 2, (bytes) => freed.push(bytes))).toBe(2);
        expect(freed.toSorted()).toEqual([1, 2]);
        expect(await listTrash(one)).toEqual([{ key: keys[2], size: 3, trashedAt: THEN + 2 }]);
        expect(await one.restore({ key: keys[0], trashedAt: THEN })).toBe('not_in_trash');
        expect(await listKeys(storage)).toEqual([keys[3]]);
        expect(await one.purgeBefore(later())).toBe(1);
        expect(await one.purgeBefore(later())).toBe(0);
        expect(await listKeys(storage)).toEqual([keys[3]]);
      },
    );
  });
}

function describeRaces(open: OpenTrash): void {
  describe('two concurrent callers', () => {
    testInTrash(open, 'move each object to the trash, and lose none', async ({ storage, one, two }) => {
      const keys = Array.from({ length: 10 }, () => newKey());
      for (const key of keys) await publishBytes(storage, key, BYTES);
      const all = [one, two].flatMap((trash, index) => keys.map((key) => trash.add(key, THEN + index)));
      await Promise.all(all);
      expect(await listKeys(storage)).toEqual([]);
      const trashed = new Set((await listTrash(one)).map(({ key }) => key));
      expect([...trashed].sort()).toEqual(keys.toSorted());
    });

    testInTrash(
      open,
      'move, restore and empty concurrently without losing an object',
      async ({ storage, one, two }) => {
        const keys = Array.from({ length: 10 }, () => newKey());
        for (const key of keys) await publishBytes(storage, key, BYTES);
        await Promise.all(
          keys.flatMap((key, index) => [
            one.add(key, THEN + index).then(() => two.restore({ key, trashedAt: THEN + index })),
            two.purgeBefore(THEN),
          ]),
        );
        expect(await listKeys(storage)).toEqual(keys.toSorted());
        for (const key of keys) expect(await readObject(storage, key)).toEqual(BYTES);
      },
    );
  });
}
