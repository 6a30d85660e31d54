import { nameOfPart, type ObjectPart, Refusal, type StoredObject, TransferRate, type Uuid } from '@postshelf/domain';
import type { ReleaseSlot } from '../fair-share/slot-pool.ts';
import type { Ports, Shared } from '../ports.ts';

/**
 * Milliseconds that a response waits until a local copy of the object is complete. A store in the same region delivers
 * hundreds of megabytes in that time, and Meta's documentation asks for content within a few seconds.
 */
const PATIENCE = 5_000;

/**
 * Ranges below this number of bytes are copied first even for browsers, although browsers could show a range as it
 * arrives. Most ranges of this size are images, or the parts that video players read ahead.
 */
const SMALL = 4 * 1024 * 1024;

type Body = Blob | ReadableStream<Uint8Array>;

export interface Reading {
  readonly workspaceId: Uuid;
  readonly key: string;
  /** null for the whole object. */
  readonly range: { readonly start: number; readonly end: number } | null;
  /** Whether the reader is a browser. Browsers can show a body as it arrives, even if its length isn't declared. */
  readonly isBrowser: boolean;
  /** Aborted when the reader has disconnected. */
  readonly signal: AbortSignal;
  /** Readers are disconnected if they take less than `minimumRate` bytes per second over `idle` milliseconds. */
  readonly slowest: { readonly idle: number; readonly minimumRate: number };
}

export type ServePorts = Pick<Ports, 'localCopies' | 'clock'> & Pick<Shared, 'shares' | 'copyWork'>;

/**
 * Returns an object, or the requested range of it, as a response body. If the object isn't on this machine, a local
 * copy is sent: its length can be declared, and no connection to the store is needed while it is sent. If there is no
 * copy yet, one is made first, unless a browser requests a large range. The object is streamed from the store if there
 * is no copy, or copying takes too long.
 *
 * @throws Refusal `busy`, `unavailable`; `endedEarly` if the reader has disconnected
 */
export async function bodyToServe(ports: ServePorts, object: StoredObject, reading: Reading): Promise<Body> {
  const range = reading.range ?? { start: 0, end: object.size - 1 };
  if (object.version === undefined) return object.body(reading.range ?? undefined);
  const part: ObjectPart = { key: reading.key, version: object.version, ...range };
  const isWaitedFor = !reading.isBrowser || range.end - range.start < SMALL;
  const copy = ports.localCopies?.find(part) ?? (isWaitedFor ? await copyOf(ports, object, part, reading) : null);
  return copy ?? streamed(ports, object, range, reading);
}

/** Returns a local copy of the object or of a part of it; null if there can be none, or it can't be made in time. */
async function copyOf(
  { localCopies, copyWork, shares }: ServePorts,
  object: StoredObject,
  part: ObjectPart,
  { workspaceId, signal }: Reading,
): Promise<Blob | null> {
  if (localCopies === null) return null;
  const late = AbortSignal.timeout(PATIENCE);
  const either = AbortSignal.any([signal, late]);
  try {
    for (;;) {
      const found = localCopies.find(part);
      if (found) return found;
      const made = await copyWork.once(nameOfPart(part), either, async (stopping) => {
        const release = await shares.take('reads', workspaceId, stopping);
        try {
          return { copy: await localCopies.make(part, () => untilAborted(object.body(part), stopping)) };
        } finally {
          release();
        }
      });
      // null means that another reader's work on the copy has ended, successfully or not.
      if (made !== null) return made.copy;
    }
  } catch (error) {
    const isBusy = error instanceof Refusal && error.problem.code === 'busy';
    if (signal.aborted || (!isBusy && !late.aborted)) throw error;
    return null;
  }
}

/** Iterates a body until the signal is aborted, which also ends a read that waits for the store. */
export async function* untilAborted(body: Body, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = (body instanceof Blob ? body.stream() : body).getReader();
  const stop = (): void => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', stop);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/** Streams straight from the store, and keeps the connection to it for as long as the reader takes. */
async function streamed(
  { shares, clock }: ServePorts,
  object: StoredObject,
  range: { readonly start: number; readonly end: number },
  { workspaceId, signal, slowest }: Reading,
): Promise<Body> {
  const release = await shares.take('streams', workspaceId, signal);
  const body = object.body(range);
  if (body instanceof Blob) {
    release();
    return body;
  }
  // If the reader disconnects before the response starts, the stream is neither read nor cancelled, so `release` is
  // called here.
  signal.addEventListener('abort', release, { once: true });
  return whileFastEnough(body, release, () => clock.elapsed(), slowest);
}

/**
 * Returns a stream that ends with an error once its reader is too slow.
 *
 * @param onEnd called when the stream ends, for whatever reason; may be called twice
 */
export function whileFastEnough(
  body: ReadableStream<Uint8Array>,
  onEnd: ReleaseSlot,
  elapsed: () => number,
  { idle, minimumRate }: Reading['slowest'],
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const rate = new TransferRate(idle);
  let given: { readonly at: number; readonly bytes: number } | null = null;
  return new ReadableStream(
    {
      async pull(controller) {
        if (given) rate.add(elapsed() - given.at, given.bytes);
        try {
          if (rate.isBelow(minimumRate)) throw new Error('The reader is too slow.');
          const { done, value } = await reader.read();
          if (!done) {
            given = { at: elapsed(), bytes: value.byteLength };
            return controller.enqueue(value);
          }
          onEnd();
          controller.close();
        } catch (error) {
          onEnd();
          await reader.cancel(error).catch(() => undefined);
          throw error;
        }
      },
      cancel(reason) {
        onEnd();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
