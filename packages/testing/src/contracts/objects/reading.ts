import { describe, expect, test } from 'bun:test';
import {
  listKeys,
  newKey,
  type OpenStorages,
  publishBytes,
  readBody,
  readObject,
  sampleBytes,
  testStorages,
  withStorages,
} from './samples.ts';

/** More bytes than a body reads ahead before its first chunk is consumed. */
const LARGE = 8 * 1024 * 1024;
const DAY = 24 * 60 * 60 * 1000;

export function describeReading(open: OpenStorages): void {
  describe('opening', () => {
    testStorages(open, 'returns null for a key without an object', async ({ one }) => {
      expect(await one.open(newKey())).toBeNull();
      const key = newKey();
      await publishBytes(one, key, sampleBytes(10));
      expect(await one.open(key.replace('photo.jpg', 'photo.jp'))).toBeNull();
      expect(await one.open(newKey())).toBeNull();
    });

    testStorages(open, 'returns size and bytes of an object', async ({ one, two }) => {
      for (const length of [0, 1, 300_000]) {
        const key = newKey();
        await publishBytes(one, key, sampleBytes(length));
        const stored = await two.open(key);
        expect(stored?.size).toBe(length);
        expect(stored && (await readBody(stored.body()))).toEqual(sampleBytes(length));
      }
    });

    testStorages(open, 'finds, lists and removes hidden objects like any others', async ({ one, two }) => {
      const [key, bytes] = [newKey(), sampleBytes(10)];
      for (const change of ['hide', 'show'] as const) await one[change](key);
      await publishBytes(one, key, bytes);
      for (const change of ['hide', 'hide', 'show', 'show', 'hide'] as const) {
        await one[change](key);
        expect(await readObject(two, key)).toEqual(bytes);
        // A key may be listed twice, because a hidden copy may remain.
        expect(new Set(await listKeys(two))).toEqual(new Set([key]));
      }
      await two.purge(key);
      expect(await readObject(one, key)).toBeNull();
      expect(await listKeys(one)).toEqual([]);
    });

    testStorages(open, 'returns a range, both ends included', async ({ one }) => {
      const [key, bytes] = [newKey(), sampleBytes(300_000)];
      await publishBytes(one, key, bytes);
      const stored = await one.open(key);
      for (const [start, end] of [
        [0, 0],
        [299_999, 299_999],
        [70_000, 199_999],
        [100_000, 299_999],
        [0, 299_999],
      ] as const) {
        expect(stored && (await readBody(stored.body({ start, end })))).toEqual(bytes.slice(start, end + 1));
      }
    });

    testStorages(open, 'returns independent bodies', async ({ one }) => {
      const key = newKey();
      const bytes = sampleBytes(300_000);
      await publishBytes(one, key, bytes);
      const stored = await one.open(key);
      if (!stored) throw new Error('published, but not there');
      const bodies = [stored.body(), stored.body({ start: 5, end: 9 }), stored.body()];
      expect(await Promise.all(bodies.map(readBody))).toEqual([bytes, bytes.slice(5, 10), bytes]);
    });

    test.each([
      ['all of it', undefined],
      ['a range of it', { start: 1, end: LARGE - 2 }],
    ])('keeps serving an object that is removed while it is read: %s', (_, range) =>
      withStorages(open, async ({ one, two }) => {
        const key = newKey();
        const bytes = sampleBytes(LARGE);
        await publishBytes(one, key, bytes);
        const body = (await one.open(key))?.body(range);
        const reader = (body instanceof Blob ? body.stream() : body)?.getReader();
        if (!reader) throw new Error('published, but not there');
        const chunks: Uint8Array[] = [];
        for (let next = await reader.read(); !next.done; next = await reader.read()) {
          if (chunks.length === 0) await two.purge(key);
          chunks.push(next.value);
        }
        const expected = range ? bytes.subarray(range.start, range.end + 1) : bytes;
        expect(Buffer.concat(chunks).equals(expected)).toBe(true);
        expect(await one.open(key)).toBeNull();
      })(),
    );

    testStorages(open, 'returns all bytes or an error if reading begins after the removal', async ({ one, two }) => {
      const key = newKey();
      await publishBytes(one, key, sampleBytes(5000));
      const body = (await one.open(key))?.body();
      if (!body) throw new Error('published, but not there');
      await two.purge(key);
      const outcome = await readBody(body).catch((error: unknown) => error);
      if (!(outcome instanceof Error)) expect(outcome).toEqual(sampleBytes(5000));
    });
  });

  describe('listing', () => {
    testStorages(open, 'returns every object once, with its size and modification time', async ({ one, two }) => {
      const workspace = crypto.randomUUID();
      const keys = Array.from({ length: 30 }, (_, index) =>
        index % 2 ? newKey() : `${workspace}/${crypto.randomUUID()}/${index}.jpg`,
      );
      for (const key of keys) await publishBytes(one, key, sampleBytes(10));
      expect(await listKeys(two)).toEqual(keys.toSorted());
      for await (const { size, modifiedAt } of two.list()) {
        expect(size).toBe(10);
        expect(Number.isInteger(modifiedAt)).toBe(true);
        expect(Math.abs(modifiedAt - Date.now())).toBeLessThan(DAY);
      }
    });

    testStorages(
      open,
      'continues while objects are added and removed, and misses none that stays',
      async ({ one, two }) => {
        const workspace = crypto.randomUUID();
        const inWorkspace = (): string => `${workspace}/${crypto.randomUUID()}/photo.jpg`;
        const staying = [newKey(), ...Array.from({ length: 10 }, inWorkspace)];
        const going = [newKey(), ...Array.from({ length: 10 }, inWorkspace)];
        const coming: string[] = [];
        for (const key of [...staying, ...going]) await publishBytes(one, key, sampleBytes(10));
        const leaving = [...going];
        const seen: string[] = [];
        for await (const { key } of one.list()) {
          seen.push(key);
          const gone = leaving.pop();
          if (gone === undefined) continue;
          await two.purge(gone);
          const fresh = inWorkspace();
          await publishBytes(two, fresh, sampleBytes(10));
          coming.push(fresh);
        }
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen).toEqual(expect.arrayContaining(staying));
        expect([...staying, ...going, ...coming]).toEqual(expect.arrayContaining(seen));
      },
    );

    testStorages(
      open,
      'skips an object that is removed right after the one next to it was listed',
      async ({ one, two }) => {
        const pair = [newKey('a.jpg')];
        pair.push(pair[0]?.replace('a.jpg', 'b.jpg') ?? '');
        for (const key of pair) await publishBytes(one, key, sampleBytes(10));
        const seen: string[] = [];
        for await (const { key } of one.list()) {
          seen.push(key);
          for (const other of pair) if (other !== key) await two.purge(other);
        }
        expect(seen).not.toEqual([]);
        expect(pair).toEqual(expect.arrayContaining(seen));
      },
    );

    testStorages(open, 'can be stopped and started again', async ({ one }) => {
      const keys = [newKey(), newKey(), newKey()];
      for (const key of keys) await publishBytes(one, key, sampleBytes(10));
      for await (const { key } of one.list()) {
        expect(keys).toContain(key);
        break;
      }
      expect(await listKeys(one)).toEqual(keys.toSorted());
      expect(await readObject(one, keys[0] ?? '')).toEqual(sampleBytes(10));
    });
  });
}
