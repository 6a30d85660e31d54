import { Readable } from 'node:stream';
import type { S3Connection } from './connection.ts';
import { isTransient } from './failures.ts';
import { ATTEMPTS, backOff, StallTimer } from './timeouts.ts';

/** Bytes handed to the socket at a time: each is a sign of life. */
export const SLICE = 64 * 1024;

/** Bytes to send, in pieces of at most {@link SLICE}, as often as they are asked for. */
export interface Pieces {
  readonly length: number;
  pieces(): Iterable<Uint8Array>;
}

const NEVER = new AbortController().signal;

/** One attempt: sends the body, which is good once, with these options of the SDK. */
export type SendOnce<T> = (
  body: Readable,
  options: { readonly abortSignal: AbortSignal; readonly requestTimeout: number },
) => Promise<T>;

/**
 * Sends bytes, up to {@link ATTEMPTS} times. However slow the way, an attempt lasts as long as bytes move: a time-out
 * for the whole would have to know the line. (The SDK repeats no request whose body is a stream, hence the loop.)
 *
 * @param stop ends it early, between and within attempts
 * @throws what the last attempt threw
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
    await backOff(attempt);
  }
}

function* watched(pieces: Iterable<Uint8Array>, watch: StallTimer): Generator<Uint8Array> {
  for (const piece of pieces) {
    watch.progressed();
    yield piece;
  }
  watch.progressed();
}

/** Bytes at hand, to be sent. */
export const piecesOf = (bytes: Uint8Array): Pieces => ({
  length: bytes.byteLength,
  *pieces() {
    for (let start = 0; start < bytes.byteLength; start += SLICE) yield bytes.subarray(start, start + SLICE);
  },
});
