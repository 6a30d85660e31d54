import { setImmediate as nextTurn } from 'node:timers/promises';
import { Refusal, TransferRate } from '@postshelf/domain';
import { ADMISSION_INTERVAL, type Caller } from '../admit.ts';
import { memoryOf } from './gathered-bytes.ts';
import type { IncomingBody } from './incoming-body.ts';

const TOO_SLOW = new Refusal({ code: 'too_slow', message: 'The request body arrived too slowly.' }).problem;

const ENCODED = /^(?!identity$)./i;

/**
 * The reader yields to the event loop after chunks with fewer bytes than this. Bun hands small chunks one by one to a
 * reader that is waiting, without giving other work a turn, but joins them for a reader that isn't waiting.
 */
const YIELD_BELOW = 4 * 1024;

export type BodySource = Pick<IncomingBody, 'request' | 'timeouts' | 'begin' | 'received' | 'end' | 'leave' | 'hold'>;

export interface ReadOptions {
  readonly caller?: Pick<Caller, 'recheck'>;
  /** Ends reading, even while it waits for the client. */
  readonly stop?: AbortSignal;
  /** Maximum milliseconds for the whole body. Default: no maximum, but the minimum rate applies. */
  readonly deadline?: number;
  /** Whether each chunk is valid only until the next one is requested, so that its memory can be freed immediately. */
  readonly lent?: boolean;
}

/**
 * Yields the body. Throws if the client stalls or is too slow while we wait for it, and within a second after the
 * caller loses its access.
 *
 * Begins in the next turn of the event loop. Bun reads the requests of all new connections in the turn in which it
 * accepts them, so work in that turn would delay all other requests.
 *
 * @throws Refusal `unsupported_encoding`, `too_slow`; `malformed` if the client disconnects before the end; whatever
 *   {@link Caller.recheck} throws
 */
export async function* readBody(
  source: BodySource,
  { caller, stop, deadline = Number.POSITIVE_INFINITY, lent = false }: ReadOptions = {},
): AsyncGenerator<Uint8Array> {
  const { request, timeouts } = source;
  const { idle, minimumRate } = timeouts;
  if (!request.body) return;
  if (ENCODED.test(request.headers.get('content-encoding') ?? '')) throw new Refusal({ code: 'unsupported_encoding' });
  const reader = source.begin();
  if (!reader) return;
  let wake = (): void => undefined;
  const onStop = (): void => wake();
  stop?.addEventListener('abort', onStop);
  /** Resolves to null if the work takes longer than this time, or when reading is stopped. */
  const within = async <T>(work: Promise<T>, milliseconds: number): Promise<T | null> => {
    const expiry = Promise.withResolvers<null>();
    wake = () => expiry.resolve(null);
    const timer = setTimeout(wake, Math.max(0, milliseconds));
    try {
      return await Promise.race([work, expiry.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
  const rate = new TransferRate(idle);
  const end = performance.now() + deadline;
  try {
    for (let [chunks, length] = [0, 0]; ; chunks += 1) {
      // The reader doesn't yield after the first chunk, because most bodies have only one.
      if (chunks === 0 || (chunks > 1 && length < YIELD_BELOW)) await nextTurn();
      const start = performance.now();
      const read = reader.read();
      const last = Math.min(start + idle, end);
      let result = await within(read, Math.min(ADMISSION_INTERVAL, last - start));
      for (; result === null; result = await within(read, Math.min(ADMISSION_INTERVAL, last - performance.now()))) {
        if (stop?.aborted) {
          read.catch(() => undefined);
          return;
        }
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
      // The garbage collector would free the memory late, because it sees only the small object that refers to the
      // memory.
      memory?.transfer(0);
    }
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw new Refusal({ code: 'malformed', message: 'The request body ended early.' }, { cause });
  } finally {
    stop?.removeEventListener('abort', onStop);
    source.leave();
  }
}
