import { setImmediate as nextTurn } from 'node:timers/promises';
import { Refusal, TransferRate } from '@postshelf/domain';
import type { RequestContext } from '../context.ts';
import { withTimeout } from '../with-timeout.ts';

const TOO_SLOW = new Refusal({ code: 'too_slow', message: 'The request body arrived too slowly.' }).problem;

/** The parts of a request's context that reading its body needs. */
export type BodySource = Pick<RequestContext, 'request' | 'received' | 'bodyEnded' | 'pressure'> & {
  readonly service: Pick<RequestContext['service'], 'bodyTimeouts'>;
};

/**
 * Chunks below this size make the reader yield to the event loop before it waits for the next one. Otherwise a packet
 * of many tiny HTTP chunks would delay all other requests: Bun hands them one by one to a reader that is waiting,
 * without giving anybody else a turn. To a reader that isn't waiting it hands them together.
 */
const YIELD_BELOW = 4 * 1024;

export interface ReadOptions {
  /** Ends the body early, also while it waits for the client. */
  readonly stop?: AbortSignal;
  /** Ends the body as soon as it is aborted, with its reason, which is a Refusal. */
  readonly refused?: AbortSignal;
  /**
   * Whether each chunk is valid only until the next one is requested. Its memory is then freed at once rather than by
   * the garbage collector, which takes a tenth of a second of the process for each 100 MB.
   */
  readonly lent?: boolean;
}

/**
 * Yields the request's body, chunk by chunk. Gives up if the client stalls or is too slow: over the last idle time of
 * waiting the body has to come at the minimum rate, which rises with the pressure. Only time spent waiting for the
 * client counts: our own disk may take as long as it needs.
 *
 * Begins in another turn of the event loop: as long as new connections come, Bun accepts them and reads the request
 * that came with each, so work done in the same turn delays all others.
 *
 * @throws Refusal `too_slow`; `malformed` if the client disconnects before the end; the reason of `refused`
 */
export async function* readBody(
  source: BodySource,
  { stop, refused, lent = false }: ReadOptions = {},
): AsyncGenerator<Uint8Array> {
  const { request, service } = source;
  const { idle, minimumRate } = service.bodyTimeouts;
  if (!request.body) return;
  const reader = request.body.getReader();
  // Otherwise Bun would go on receiving a body that nobody reads.
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  for (const signal of [stop, refused]) signal?.addEventListener('abort', cancel);
  const rate = new TransferRate(idle);
  try {
    for (let [chunks, length] = [0, 0]; ; chunks += 1) {
      // Not before the second read, as most bodies have only one chunk.
      if (chunks === 0 || (chunks > 1 && length < YIELD_BELOW)) await nextTurn();
      const start = performance.now();
      const { done, value } = await withTimeout(reader.read(), idle, () => new Refusal(TOO_SLOW));
      refused?.throwIfAborted();
      if (done) {
        source.bodyEnded();
        return;
      }
      length = value.length;
      const memory = lent ? memoryOf(value) : null;
      source.received(value.length);
      rate.add(performance.now() - start, value.length);
      if (rate.isBelow(minimumRate * source.pressure())) throw new Refusal(TOO_SLOW);
      yield value;
      // The collector would come late, as it sees only the small object that refers to the memory.
      memory?.transfer(0);
    }
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw new Refusal({ code: 'malformed', message: 'The request body ended early.' }, { cause });
  } finally {
    for (const signal of [stop, refused]) signal?.removeEventListener('abort', cancel);
    cancel();
  }
}

/** The memory of a chunk; null if other chunks may share it. */
const memoryOf = ({ buffer, byteLength }: Uint8Array): ArrayBuffer | null =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? buffer : null;
