import { setImmediate as nextTurn } from 'node:timers/promises';
import { Refusal, TransferRate } from '@postshelf/domain';
import { ADMISSION_INTERVAL, type Caller } from '../admit.ts';
import type { IncomingBody } from './incoming-body.ts';

const TOO_SLOW = new Refusal({ code: 'too_slow', message: 'The request body arrived too slowly.' }).problem;

/**
 * Chunks below this size make the reader yield to the event loop before it waits for the next one. Otherwise a packet
 * of many tiny HTTP chunks would delay all other requests: Bun hands them one by one to a reader that is waiting,
 * without giving anybody else a turn. To a reader that isn't waiting it hands them together.
 */
const YIELD_BELOW = 4 * 1024;

/** A body to be read. */
export type BodySource = Pick<IncomingBody, 'request' | 'timeouts' | 'begin' | 'received' | 'end' | 'hold'>;

export interface ReadOptions {
  /** Looked at every second, so that a body ends with its caller's admission; absent before there is one. */
  readonly caller?: Pick<Caller, 'recheck'>;
  /** Ends the body early, also while it waits for the client. */
  readonly stop?: AbortSignal;
  /** Milliseconds that the client has for the whole body. Default: any time, at the minimum rate. */
  readonly deadline?: number;
  /**
   * Whether each chunk is valid only until the next one is requested. Its memory is then freed at once rather than by
   * the garbage collector, which takes a tenth of a second of the process for each 100 MB.
   */
  readonly lent?: boolean;
}

/**
 * Yields the request's body, chunk by chunk. Gives up if the client stalls or is too slow: over the last idle time of
 * waiting the body has to come at the minimum rate. Only time spent waiting for the
 * client counts: our own disk may take as long as it needs. Gives up, too, within a second, once an admitted caller
 * wouldn't be admitted any more.
 *
 * Begins in another turn of the event loop: as long as new connections come, Bun accepts them and reads the request
 * that came with each, so work done in the same turn delays all others.
 *
 * @throws Refusal `too_slow`; `malformed` if the client disconnects before the end; what {@link Caller.recheck} throws
 */
export async function* readBody(
  source: BodySource,
  { caller, stop, deadline = Number.POSITIVE_INFINITY, lent = false }: ReadOptions = {},
): AsyncGenerator<Uint8Array> {
  const { request, timeouts } = source;
  const { idle, minimumRate } = timeouts;
  if (!request.body) return;
  source.begin();
  const reader = request.body.getReader();
  // Otherwise Bun would go on receiving a body that nobody reads.
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  stop?.addEventListener('abort', cancel);
  const rate = new TransferRate(idle);
  const end = performance.now() + deadline;
  try {
    for (let [chunks, length] = [0, 0]; ; chunks += 1) {
      // Not before the second read, as most bodies have only one chunk.
      if (chunks === 0 || (chunks > 1 && length < YIELD_BELOW)) await nextTurn();
      const start = performance.now();
      const read = reader.read();
      const last = Math.min(start + idle, end);
      let result = await within(read, Math.min(ADMISSION_INTERVAL, last - start));
      for (; result === null; result = await within(read, Math.min(ADMISSION_INTERVAL, last - performance.now()))) {
        await caller?.recheck();
        if (performance.now() >= last) throw new Refusal(TOO_SLOW);
      }
      await caller?.recheck();
      const { done, value } = result;
      if (done) {
        source.end();
        return;
      }
      length = value.length;
      const memory = lent ? memoryOf(value) : null;
      source.received(value.length);
      const now = performance.now();
      rate.add(now - start, value.length);
      if (now > end || rate.isBelow(minimumRate)) throw new Refusal(TOO_SLOW);
      yield value;
      // The collector would come late, as it sees only the small object that refers to the memory.
      memory?.transfer(0);
    }
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw new Refusal({ code: 'malformed', message: 'The request body ended early.' }, { cause });
  } finally {
    stop?.removeEventListener('abort', cancel);
    cancel();
  }
}

/** What the work resolves with; null if that takes longer. The work itself isn't stopped. */
async function within<T>(work: Promise<T>, milliseconds: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expiry = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), Math.max(0, milliseconds));
  });
  try {
    return await Promise.race([work, expiry]);
  } finally {
    clearTimeout(timer);
  }
}

/** The memory of a chunk; null if other chunks may share it. */
const memoryOf = ({ buffer, byteLength }: Uint8Array): ArrayBuffer | null =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? buffer : null;
