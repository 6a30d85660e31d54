import { describe, expect } from 'bun:test';
import { createHash } from 'node:crypto';
import { Refusal } from '@postshelf/domain';
import { outcomeOf } from '../../outcomes.ts';
import { later, listKeys, newKey, publishBytes, readObject, sampleBytes } from '../objects/samples.ts';
import { newId } from '../samples.ts';
import { describeAttacks } from './attacks.ts';
import { listIds, newUpload, type OpenPresign, readUpload, SIZE, testPresign, upload, uploaded } from './samples.ts';

const DAY = 24 * 60 * 60 * 1000;

/**
 * The contract of every storage for files that clients send directly to it. `open` returns an empty store each time.
 */
export function describePresignStorage(name: string, open: OpenPresign): void {
  describe(`${name} as a storage of presigned uploads`, () => {
    describeAddresses(open);
    describeAttacks(open);
    describeTaking(open);
    describePublishing(open);
    describeKeeping(open);
  });
}

function describeAddresses(open: OpenPresign): void {
  describe('an upload address', () => {
    testPresign(open, 'accepts the file that it was issued for, of any size', async ({ presign }) => {
      for (const size of [1, SIZE, 9 * 1024 * 1024]) {
        const bytes = sampleBytes(size);
        const presigned = newUpload({ size });
        await upload(await presign.address(presigned), bytes);
        const taken = await presign.take(presigned.id);
        expect(taken?.size).toBe(size);
        expect(await taken?.read(0, size)).toEqual(bytes);
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        expect([null, sha256]).toContain(taken?.sha256 ?? null);
        await taken?.discard();
      }
    });

    testPresign(open, 'names the type among its headers, and neither length nor host', async ({ presign }) => {
      const { headers } = await presign.address(newUpload({ type: 'video/mp4' }));
      const names = Object.keys(headers).map((header) => header.toLowerCase());
      expect(names).toContain('content-type');
      expect(Object.values(headers)).toContain('video/mp4');
      expect(names).not.toContain('content-length');
      expect(names).not.toContain('host');
    });

    testPresign(open, 'may be used again, and the last file counts', async ({ presign }) => {
      const presigned = newUpload();
      const address = await presign.address(presigned);
      await upload(address, sampleBytes(SIZE, 1));
      await upload(address, sampleBytes(SIZE, 2));
      expect(await readUpload(presign, presigned.id)).toEqual(sampleBytes(SIZE, 2));
      expect(await listIds(presign)).toEqual([presigned.id]);
    });

    testPresign(open, 'reaches only its own upload', async (opened) => {
      const { presign } = opened;
      const [one, two] = [await uploaded(opened, sampleBytes(10, 1)), await uploaded(opened, sampleBytes(20, 2))];
      expect(await readUpload(presign, one)).toEqual(sampleBytes(10, 1));
      expect(await readUpload(presign, two)).toEqual(sampleBytes(20, 2));
    });
  });
}

function describeTaking(open: OpenPresign): void {
  describe('taking an upload', () => {
    testPresign(open, 'returns null before a file has arrived', async ({ presign }) => {
      const presigned = newUpload();
      expect(await presign.take(presigned.id)).toBeNull();
      await presign.address(presigned);
      expect(await presign.take(presigned.id)).toBeNull();
      expect(await presign.take(newId())).toBeNull();
    });

    testPresign(open, 'may be repeated after a discard, which keeps the upload', async (opened) => {
      const id = await uploaded(opened, sampleBytes(SIZE));
      const first = await opened.presign.take(id);
      await first?.discard();
      await first?.discard();
      expect(await readUpload(opened.presign, id)).toEqual(sampleBytes(SIZE));
    });

    testPresign(
      open,
      'refers to the bytes at that time: a later upload is never read or published instead',
      async ({ presign, storage }) => {
        const presigned = newUpload();
        const address = await presign.address(presigned);
        const [key, before, after] = [newKey(), sampleBytes(SIZE, 1), sampleBytes(SIZE, 2)];
        await upload(address, before);
        const taken = await presign.take(presigned.id);
        if (!taken) throw new Error('uploaded, but not there');
        await upload(address, after);
        expect([before, 'unavailable']).toContainEqual(await orUnavailable(taken.read(0, SIZE)));
        const published = await orUnavailable(taken.publish(key));
        expect(await readObject(storage, key)).toEqual(published === 'unavailable' ? null : before);
        await taken.discard();
        expect(await readUpload(presign, presigned.id)).toEqual(after);
      },
    );
  });
}

/** Returns the result of the work, or `unavailable` if the work was refused for that reason. */
async function orUnavailable<T>(work: Promise<T>): Promise<T | 'unavailable'> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal && error.problem.code === 'unavailable') return 'unavailable';
    throw error;
  }
}

function describePublishing(open: OpenPresign): void {
  describe('publishing an upload', () => {
    testPresign(open, 'creates an object that no later use of the address changes', async ({ presign, storage }) => {
      const presigned = newUpload();
      const address = await presign.address(presigned);
      const key = newKey();
      await upload(address, sampleBytes(SIZE, 1));
      const taken = await presign.take(presigned.id);
      await taken?.publish(key);
      await taken?.discard();
      expect(await readObject(storage, key)).toEqual(sampleBytes(SIZE, 1));
      await upload(address, sampleBytes(SIZE, 2));
      expect(await readObject(storage, key)).toEqual(sampleBytes(SIZE, 1));
      await presign.purge(presigned.id);
      await upload(address, sampleBytes(SIZE, 3));
      expect(await readObject(storage, key)).toEqual(sampleBytes(SIZE, 1));
      expect(await listKeys(storage)).toEqual([key]);
    });

    testPresign(open, 'to a taken key throws, and keeps the existing object', async (opened) => {
      const key = newKey();
      await publishBytes(opened.storage, key, sampleBytes(10, 1));
      const taken = await opened.presign.take(await uploaded(opened, sampleBytes(SIZE, 2)));
      expect(await outcomeOf(taken?.publish(key))).toThrow();
      await taken?.discard();
      expect(await readObject(opened.storage, key)).toEqual(sampleBytes(10, 1));
    });
  });
}

function describeKeeping(open: OpenPresign): void {
  describe('an arrived upload', () => {
    testPresign(open, 'is listed with its size and time until it is removed, which may be repeated', async (opened) => {
      const { presign } = opened;
      expect(await listIds(presign)).toEqual([]);
      const ids = [await uploaded(opened, sampleBytes(10)), await uploaded(opened, sampleBytes(20))];
      expect(await listIds(presign)).toEqual(ids.toSorted());
      for await (const { id, size, modifiedAt } of presign.list()) {
        expect(size).toBe(id === ids[0] ? 10 : 20);
        expect(Number.isInteger(modifiedAt)).toBe(true);
        expect(Math.abs(modifiedAt - Date.now())).toBeLessThan(DAY);
      }
      for (const id of ids) {
        await presign.purge(id);
        await presign.purge(id);
        expect(await presign.take(id)).toBeNull();
      }
      expect(await listIds(presign)).toEqual([]);
      await presign.purge(newId());
    });

    testPresign(open, 'is separate from objects and staged bytes', async (opened) => {
      const { presign, storage } = opened;
      const key = newKey();
      await publishBytes(storage, key, sampleBytes(10));
      const id = await uploaded(opened, sampleBytes(SIZE));
      expect(await listKeys(storage)).toEqual([key]);
      expect(await listIds(presign)).toEqual([id]);
      expect(await storage.discardAbandoned(later())).toBe(0);
      expect(await readUpload(presign, id)).toEqual(sampleBytes(SIZE));
    });
  });
}
