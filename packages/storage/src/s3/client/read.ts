import { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { S3Connection } from './connection.ts';
import { isMissing, isTransient, TruncatedBody, translateError, translateErrors } from './failures.ts';
import type { StoredBytes } from './head-object.ts';
import { ATTEMPTS, StallTimer, waitAfter } from './timeouts.ts';

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a range of an object. After a broken or stalled connection it continues on a new one, up to {@link ATTEMPTS}
 * times without progress; the ETag ensures that the rest is of the same object. Only the time spent waiting for the
 * store counts towards the timeouts.
 *
 * @param cancelled ends a read that waits for the store
 * @throws StoreFailure 412 or 404 when the object was replaced or removed; Refusal `unavailable`
 */
async function* readRange(
  { client, bucket, timeouts }: S3Connection,
  { key, etag }: StoredBytes,
  { start, end }: ByteRange,
  cancelled?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let at = start;
  let failures = 0;
  while (at <= end) {
    const watch = new StallTimer(timeouts.stall);
    const signal = cancelled ? AbortSignal.any([watch.signal, cancelled]) : watch.signal;
    const range = { Bucket: bucket, Key: key, Range: `bytes=${at}-${end}`, IfMatch: etag };
    try {
      const { Body, ContentLength } = await client.send(new GetObjectCommand(range), { abortSignal: signal });
      if (!(Body instanceof Readable)) throw new Error('The SDK answered without a stream.');
      if (ContentLength !== end - at + 1) throw wrongRange(Body);
      for await (const chunk of untilAborted(Body, signal)) {
        watch.pause();
        at += chunk.byteLength;
        failures = 0;
        yield chunk;
        watch.progressed();
      }
      if (at <= end) throw new TruncatedBody('The body ended early.');
    } catch (error) {
      failures += 1;
      if (cancelled?.aborted || failures === ATTEMPTS || !isTransient(error)) throw translateError(error);
    } finally {
      watch.pause();
    }
    if (at <= end) await waitAfter(failures);
  }
}

/** Destroys the body of a store that ignores ranges, and returns the error to throw. */
function wrongRange(body: Readable): Error {
  body.destroy();
  return new Error('The store sent a range other than the requested one.');
}

/** Ends a body when the signal aborts. The SDK itself observes the signal only until the answer starts. */
async function* untilAborted(body: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const destroy = (): void => {
    body.destroy(new TruncatedBody('The store stopped sending.'));
  };
  signal.addEventListener('abort', destroy);
  try {
    for await (const chunk of body) yield chunk;
  } finally {
    signal.removeEventListener('abort', destroy);
    body.destroy();
  }
}

export async function collectRange(
  s3: S3Connection,
  bytes: StoredBytes,
  range: ByteRange,
  cancelled?: AbortSignal,
): Promise<Uint8Array> {
  const whole = new Uint8Array(range.end - range.start + 1);
  let filled = 0;
  for await (const chunk of readRange(s3, bytes, range, cancelled)) {
    whole.set(chunk, filled);
    filled += chunk.byteLength;
  }
  return whole;
}

/**
 * Reads a small object in one request, so that all bytes are of the same version.
 *
 * @returns null when there is no object; `too_large`, without reading it, when it has more than `limit` bytes
 * @throws Refusal `unavailable`
 */
export async function readSmall(
  { client, bucket, timeouts }: S3Connection,
  key: string,
  limit: number,
): Promise<Uint8Array | 'too_large' | null> {
  return translateErrors(async () => {
    const abortSignal = AbortSignal.timeout(timeouts.stall);
    try {
      const { Body, ContentLength = 0 } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }), {
        abortSignal,
      });
      if (!(Body instanceof Readable)) throw new Error('The SDK answered without a stream.');
      if (ContentLength > limit) {
        Body.destroy();
        return 'too_large';
      }
      const chunks: Uint8Array[] = [];
      for await (const chunk of untilAborted(Body, abortSignal)) chunks.push(chunk);
      return Buffer.concat(chunks);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  });
}

/** Streams a range. The request is sent at the first read, and aborted when the stream is cancelled. */
export function streamRange(s3: S3Connection, bytes: StoredBytes, range: ByteRange): ReadableStream<Uint8Array> {
  const cancelled = new AbortController();
  const chunks = readRange(s3, bytes, range, cancelled.signal);
  return new ReadableStream(
    {
      async pull(controller) {
        const next = await chunks.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        cancelled.abort();
        // The pending read fails because of the abort.
        await Promise.allSettled([chunks.return(undefined)]);
      },
    },
    { highWaterMark: 0 },
  );
}
