import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { bucketContents, clientOf, realS3 } from '@postshelf/testing/servers/s3';
import { startStopwatch, within } from '@postshelf/testing/waiting';
import { openS3 } from '../../../src/s3/index.ts';
import {
  HOUR,
  KEY,
  MIB,
  publishText,
  randomBytes,
  readText,
  stageBytes,
  stageText,
  unavailableMessage,
} from '../../support/objects.ts';
import { openBucket } from '../../support/s3.ts';

/** The timeouts for a store that accepts connections and never answers: a third of the service's own. */
const TIMEOUTS = { connect: 1000, response: 2600, copy: 8000, stall: 2600, cleanup: 1300 };

/**
 * Maximum time that a caller may wait, in milliseconds of a {@link Stopwatch}. Even with the service's own timeouts, no
 * caller would wait that long.
 */
const MAX_WAIT = 35_000;

const real = await realS3('the death of an S3 gateway');
const gateway = real?.gateway;

describe.skipIf(!real || !gateway)('an S3 gateway', () => {
  let opened: Awaited<ReturnType<typeof openBucket>>;

  beforeEach(async () => {
    if (real) opened = await openBucket(real);
  });
  afterEach(() => opened.close());

  const contents = async () => real && bucketContents(clientOf(real), opened.bucket);

  /** Expects only these objects in the bucket, and nothing staged after abandoned bytes were discarded. */
  const expectOnly = async (objects: readonly string[]): Promise<void> => {
    expect((await contents())?.objects.filter((key) => !key.startsWith('.staging/'))).toEqual([...objects]);
    await opened.storage.discardAbandoned(Date.now() + HOUR);
    expect(await contents()).toEqual({ objects: [...objects], uploads: [] });
  };

  test('that is killed during an upload makes the upload fail as unavailable and leaves nothing of it', async () => {
    await publishText(opened.storage, KEY, 'before');
    const killed = opened.storage.stage(
      breaking(20 * MIB, 10 * MIB, () => gateway?.kill()),
      { limit: 20 * MIB },
    );
    expect(await unavailableMessage(killed)).toBe('The storage is unavailable.');
    expect(await unavailableMessage(opened.storage.check())).toBe('The storage is unavailable.');
    await gateway?.start();
    await opened.storage.check();
    expect(await readText(opened.storage, KEY)).toBe('before');
    await expectOnly([KEY]);
  });

  test('that is killed while an object is read makes the read fail', async () => {
    const size = 32 * MIB;
    const staged = await stageBytes(opened.storage, randomBytes(size));
    await staged.publish(KEY);
    const body = (await opened.storage.open(KEY))?.body();
    if (!(body instanceof ReadableStream)) throw new Error('not a stream');
    const reader = body.getReader();
    expect((await reader.read()).done).toBe(false);
    await gateway?.kill();
    const readOn = async (): Promise<void> => {
      while (!(await reader.read()).done);
    };
    await unavailableMessage(readOn());
    await gateway?.start();
    await expectOnly([KEY]);
  });

  test(
    'that hangs makes every operation unavailable in bounded time and leaves nothing incomplete',
    async () => {
      if (!real) return;
      await publishText(opened.storage, KEY, 'before');
      const hurried = await openS3({ ...real, bucket: opened.bucket, timeouts: TIMEOUTS });
      const { storage, presign, links } = hurried;
      const staged = await stageText(storage, 'staged');
      const stored = await storage.open(KEY);
      const id = crypto.randomUUID() as Parameters<typeof presign.take>[0];
      const paused = Promise.withResolvers<void>();
      const pause = async (): Promise<void> => {
        await gateway?.pause();
        paused.resolve();
      };
      const halfway = storage.stage(breaking(20 * MIB, 10 * MIB, pause), { limit: 20 * MIB });
      await paused.promise;
      using stopwatch = startStopwatch();
      const asked = {
        halfway,
        small: stageText(storage, 'small'),
        publish: staged.publish(`${KEY.slice(0, -4)}.png`),
        read: staged.read(0, 3),
        open: storage.open(KEY),
        body: new Response(stored?.body()).text(),
        remove: storage.purge(KEY),
        list: Array.fromAsync(storage.list()),
        discardAbandoned: storage.discardAbandoned(0),
        check: storage.check(),
        take: presign.take(id),
      };
      try {
        // Signing works, because it needs no request.
        expect(await links.linkTo(KEY, { method: 'GET', expiresIn: 60 })).toContain('X-Amz-Signature');
        // Each operation has a time limit of its own, so that the error names an operation that never ends, and so that
        // the gateway is still resumed.
        const limited = Object.entries(asked).map(([name, work]) =>
          within<unknown>(`the end of ${name}`, work, MAX_WAIT),
        );
        const messages = await Promise.all(limited.map(unavailableMessage));
        expect(new Set(messages)).toEqual(new Set(['The storage is unavailable.']));
        expect(stopwatch.elapsed()).toBeLessThan(MAX_WAIT);
      } finally {
        hurried.close();
        await gateway?.resume();
      }
      // The gateway may still execute requests that the client has given up: removing the object, and copying the
      // staged bytes.
      await opened.storage.purge(KEY);
      await expectOnly([]);
    },
    2 * MAX_WAIT,
  );
});

/** Yields a body in chunks of 64 KiB, and awaits an event before the chunk at `at`. */
async function* breaking(size: number, at: number, event: () => Promise<void> | undefined): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(64 * 1024);
  for (let sent = 0; sent < size; sent += chunk.length) {
    if (sent === at) await event();
    yield chunk;
  }
}
