import { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { S3Connection } from './connection.ts';
import { BrokenOff, isMissing, isTransient, translateError, translateErrors } from './failures.ts';
import type { StoredBytes } from './look-up.ts';
import { ATTEMPTS, backOff, StallTimer } from './timeouts.ts';

/** Both ends included (RFC 9110 section 14.1.2). */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The bytes of a range as they come, nothing read ahead of the reader beyond a socket's buffers. A connection that
 * breaks off or stands still is made anew from where it ended, {@link ATTEMPTS} times in a row; the etag sees to it
 * that what follows is of the same object. A reader may take its time, the store may not.
 *
 * @param cancelled ends a read that is waiting for the store; the reader wants no more
 * @throws StoreFailure 412 or 404 when other bytes, or none, stand there by now; Refusal `unavailable`
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
      if (at <= end) throw new BrokenOff('The body ended early.');
    } catch (error) {
      failures += 1;
      if (cancelled?.aborted || failures === ATTEMPTS || !isTransient(error)) throw translateError(error);
    } finally {
      watch.pause();
    }
    if (at <= end) await backOff(failures);
  }
}

/** Should a store not know ranges, no byte of its answer is taken. */
function wrongRange(body: Readable): Error {
  body.destroy();
  return new Error('The store answered with another range than it was asked for.');
}

/** The SDK heeds the signal until the answer begins; this does while its body comes. */
async function* untilAborted(body: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const destroy = (): void => {
    body.destroy(new BrokenOff('Nothing came any more.'));
  };
  signal.addEventListener('abort', destroy);
  try {
    for await (const chunk of body) yield chunk;
  } finally {
    signal.removeEventListener('abort', destroy);
    body.destroy();
  }
}

/** The bytes of a range in memory. @param cancelled as of {@link readRange} */
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
 * A small object whole, as it was at one moment, whoever replaces it meanwhile.
 *
 * @returns null where nothing stands under the key; `too_large` for more than `limit` bytes, which aren't read
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

/** The bytes of a range as a stream. The request is sent when reading begins, and ends when it is cancelled. */
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
        // A read that was waiting ends with the abort; the reader has gone and doesn't hear of it.
        await Promise.allSettled([chunks.return(undefined)]);
      },
    },
    { highWaterMark: 0 },
  );
}
