import { Readable } from 'node:stream';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { S3Connection } from './connection.ts';
import { isTransient, translateErrors } from './failures.ts';
import { ATTEMPTS, StallTimer, waitAfter } from './timeouts.ts';

/** Bytes per piece; each piece counts as progress for the stall timer. */
export const SLICE = 64 * 1024;

/** Bytes to send in pieces of at most {@link SLICE}; each attempt iterates over them again. */
export interface Pieces {
  readonly length: number;
  pieces(): Iterable<Uint8Array>;
}

const NEVER = new AbortController().signal;

/** Makes one attempt. The body can be read only once. */
export type SendOnce<T> = (
  body: Readable,
  options: { readonly abortSignal: AbortSignal; readonly requestTimeout: number },
) => Promise<T>;

/**
 * Sends bytes in up to {@link ATTEMPTS} attempts, because the SDK doesn't retry streams. An attempt may take any amount
 * of time as long as bytes are moving.
 *
 * @throws the error of the last attempt
 */
export async function sendBytes<T>(
  { timeouts }: Pick<S3Connection, 'timeouts'>,
  bytes: Pieces,
  send: SendOnce<T>,
  stop: AbortSignal = NEVER,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const watch = new StallTimer(timeouts.stall);
    const body = Readable.from(watched(bytes.pieces(), watch), { objectMode: false, highWaterMark: SLICE });
    try {
      return await send(body, { abortSignal: AbortSignal.any([watch.signal, stop]), requestTimeout: 0 });
    } catch (error) {
      if (attempt === ATTEMPTS || stop.aborted || !isTransient(error)) throw error;
    } finally {
      watch.pause();
      body.destroy();
    }
    await waitAfter(attempt);
  }
}

/** Stores an object in one request. @throws Refusal `unavailable` */
export async function putBytes(
  s3: Pick<S3Connection, 'client' | 'bucket' | 'timeouts'>,
  key: string,
  bytes: Pieces,
  { mime, stop }: { readonly mime?: string; readonly stop?: AbortSignal | undefined } = {},
): Promise<void> {
  const request = { Bucket: s3.bucket, Key: key, ContentLength: bytes.length, ContentType: mime };
  await translateErrors(() =>
    sendBytes(s3, bytes, (Body, options) => s3.client.send(new PutObjectCommand({ ...request, Body }), options), stop),
  );
}

function* watched(pieces: Iterable<Uint8Array>, watch: StallTimer): Generator<Uint8Array> {
  for (const piece of pieces) {
    watch.progressed();
    yield piece;
  }
  watch.progressed();
}

export const piecesOf = (bytes: Uint8Array): Pieces => ({
  length: bytes.byteLength,
  *pieces() {
    for (let start = 0; start < bytes.byteLength; start += SLICE) yield bytes.subarray(start, start + SLICE);
  },
});
