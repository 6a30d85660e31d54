import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { bucketContents, clientOf, realS3 } from '@postshelf/testing/servers/s3';
import { KEY, MIB } from '../../support/objects.ts';
import { openBucket } from '../../support/s3.ts';

/** The size in bytes, which is more than a single request can copy, and not a multiple of any part size. */
const SIZE = 150 * MIB + 1234;

const real = await realS3('large objects on S3');

describe.skipIf(!real)('a large object', () => {
  test('is uploaded, published, moved to the trash and restored in parts, unchanged', async () => {
    if (!real) return;
    const { storage, trash, bucket, close } = await openBucket(real);
    try {
      const hash = createHash('sha256');
      const staged = await storage.stage(hashed(SIZE, hash), { limit: SIZE });
      const sha256 = hash.digest('hex');
      expect({ size: staged.size, sha256: staged.sha256 }).toEqual({ size: SIZE, sha256 });
      await staged.publish(KEY);
      expect(await trash.add(KEY, 1000)).toBe(true);
      expect(await bucketContents(clientOf(real), bucket)).toEqual({ objects: [`.trash/1000/${KEY}`], uploads: [] });
      expect(await trash.restore({ key: KEY, trashedAt: 1000 })).toBe('restored');
      const stored = await storage.open(KEY);
      expect(stored?.size).toBe(SIZE);
      const read = createHash('sha256');
      for await (const chunk of streamOf(stored?.body())) read.update(chunk);
      expect(read.digest('hex')).toBe(sha256);
      expect(await bucketContents(clientOf(real), bucket)).toEqual({ objects: [KEY], uploads: [] });
    } finally {
      await close();
    }
  });

  test('above the limit is deleted with all its parts', async () => {
    if (!real) return;
    const { storage, bucket, close } = await openBucket(real);
    try {
      const limit = 20 * MIB;
      const hash = createHash('sha256');
      expect(await outcomeOf(storage.stage(hashed(limit + 1, hash), { limit }))).toThrow('longer than');
      expect(await bucketContents(clientOf(real), bucket)).toEqual({ objects: [], uploads: [] });
    } finally {
      await close();
    }
  });
});

const streamOf = (body: ReadableStream<Uint8Array> | Blob | undefined): ReadableStream<Uint8Array> => {
  if (body instanceof ReadableStream) return body;
  throw new Error('not a stream');
};

/** Yields a body that is generated chunk by chunk. All chunks differ. */
async function* hashed(size: number, hash: ReturnType<typeof createHash>): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < size; ) {
    const chunk = new Uint8Array(Math.min(100_000, size - sent));
    new DataView(chunk.buffer).setUint32(0, sent);
    hash.update(chunk);
    yield chunk;
    sent += chunk.length;
  }
}
