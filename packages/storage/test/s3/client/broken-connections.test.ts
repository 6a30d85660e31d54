import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { bucketContents, clientOf, realS3 } from '@postshelf/testing/servers/s3';
import { within } from '@postshelf/testing/waiting';
import { openBucketSetup, openS3, type S3 } from '../../../src/s3/index.ts';
import {
  chunksOf,
  HOUR,
  ITEM,
  MIB,
  randomBytes,
  sha256,
  unavailableMessage,
  WORKSPACE,
} from '../../support/objects.ts';
import { openRelay, type Relay } from '../../support/relay.ts';
import { openBucket } from '../../support/s3.ts';

const real = await realS3('connections to S3 that break');

describe.skipIf(!real)('S3 over a connection that breaks', () => {
  let direct: Awaited<ReturnType<typeof openBucket>>;
  let relay: Relay;
  let s3: S3;

  beforeAll(async () => {
    if (!real) return;
    direct = await openBucket(real);
    relay = await openRelay(real.endpoint);
    s3 = await openS3({ ...real, endpoint: relay.endpoint, bucket: direct.bucket });
  });
  afterAll(async () => {
    s3.close();
    await relay.close();
    await direct.close();
  });

  const contents = async () => real && bucketContents(clientOf(real), direct.bucket);
  const newKey = (): string => `${WORKSPACE}/${ITEM}/${crypto.randomUUID()}.mp4`;

  test.each([
    ['in the only request', 2 * MIB, 1 * MIB],
    ['in the first part', 20 * MIB, 3 * MIB],
    ['in the last part', 20 * MIB, 18 * MIB],
  ])('sends a body again after a cut %s', async (_, size, at) => {
    const bytes = randomBytes(size);
    relay.cutAfter(at, 'sent');
    const before = relay.cuts;
    const staged = await s3.storage.stage(chunksOf(bytes), { limit: size });
    expect(relay.cuts).toBe(before + 1);
    expect(staged.sha256).toBe(sha256(bytes));
    const key = newKey();
    await staged.publish(key);
    const stored = await direct.storage.open(key);
    expect(sha256(new Uint8Array(await new Response(stored?.body()).arrayBuffer()))).toBe(sha256(bytes));
    await direct.storage.purge(key);
    expect(await contents()).toEqual({ objects: [], uploads: [] });
  });

  test('continues reading a body where the connection was cut', async () => {
    const bytes = randomBytes(12 * MIB);
    const key = newKey();
    const staged = await direct.storage.stage(chunksOf(bytes), { limit: bytes.length });
    await staged.publish(key);
    const stored = await s3.storage.open(key);
    relay.cutAfter(5 * MIB, 'received');
    const before = relay.cuts;
    const range = { start: 1000, end: bytes.length - 1000 };
    const read = new Uint8Array(await new Response(stored?.body(range)).arrayBuffer());
    expect(sha256(read)).toBe(sha256(bytes.subarray(range.start, range.end + 1)));
    expect(relay.cuts).toBe(before + 1);
    await direct.storage.purge(key);
  });

  test('closes the connection when the consumer stops reading', async () => {
    const size = 64 * MIB;
    const key = newKey();
    const staged = await direct.storage.stage(chunksOf(randomBytes(size)), { limit: size });
    await staged.publish(key);
    const body = (await s3.storage.open(key))?.body();
    if (!(body instanceof ReadableStream)) throw new Error('not a stream');
    const reader = body.getReader();
    expect((await reader.read()).done).toBe(false);
    const closed = relay.nextClose();
    await reader.cancel();
    await closed;
    await direct.storage.purge(key);
  });

  test.each([
    ['started an upload', 'POST /', 1],
    ['completed the upload', '<CompleteMultipartUpload', 0],
    ['looked up the staged object', 'HEAD /', 0],
  ])('continues staging after losing the response to the request that %s', async (_, text, abandoned) => {
    const size = 9 * MIB;
    const before = relay.cuts;
    relay.cutAnswerTo(text);
    const staged = await s3.storage.stage(chunksOf(randomBytes(size)), { limit: size });
    expect(relay.cuts).toBe(before + 1);
    expect((await staged.read(size - 1, 1)).length).toBe(1);
    await staged.discard();
    // An upload whose id was lost with the answer is discarded as abandoned.
    expect((await contents())?.uploads).toHaveLength(abandoned);
    expect(await s3.storage.discardAbandoned(Date.now() + HOUR)).toBe(abandoned);
    expect(await contents()).toEqual({ objects: [], uploads: [] });
  });

  test.each([
    ['looked up the key', 'HEAD /'],
    ['copied the object', 'x-amz-copy-source'],
    ['discarded the staged bytes', 'DELETE /'],
  ])('publishes after losing the response to the request that %s', async (_, text) => {
    const staged = await s3.storage.stage(chunksOf(randomBytes(100)), { limit: 100 });
    const key = newKey();
    const before = relay.cuts;
    relay.cutAnswerTo(text);
    await staged.publish(key);
    expect(relay.cuts).toBe(before + 1);
    expect(await contents()).toEqual({ objects: [key], uploads: [] });
    await direct.storage.purge(key);
  });

  test('fails in bounded time when a store stops sending after the headers of a response', async () => {
    if (!real) return;
    const timeouts = { connect: 1000, response: 700, copy: 2000, stall: 700, cleanup: 500 };
    const hurried = await openS3({ ...real, endpoint: relay.endpoint, bucket: direct.bucket, timeouts });
    relay.holdBodyAfter('list-type=2');
    try {
      const list = within('the end of the list', Array.fromAsync(hurried.storage.list()));
      expect(await unavailableMessage(list)).toBe('The storage is unavailable.');
    } finally {
      relay.resume();
      hurried.close();
    }
  });

  test('fails to read the rules of a bucket in bounded time when a store stops after the headers', async () => {
    if (!real) return;
    const timeouts = { connect: 1000, response: 700, copy: 2000, stall: 700, cleanup: 500 };
    const setup = openBucketSetup({ ...real, endpoint: relay.endpoint, bucket: direct.bucket, timeouts });
    relay.holdBodyAfter('?cors');
    try {
      const rules = within('the rules', setup.apply({ origins: ['https://example.com'], dryRun: true }));
      expect(await rules.catch(String)).toContain('TimeoutError');
    } finally {
      relay.resume();
      setup.close();
    }
  });
});
