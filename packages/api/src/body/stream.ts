import { setImmediate as nextTurn } from 'node:timers/promises';
import { Refusal, TransferRate } from '@postshelf/domain';
import type { RequestContext } from '../context.ts';
import { withTimeout } from '../with-timeout.ts';
import { dropMemory, memoryOf } from './memory.ts';

const TOO_SLOW = new Refusal({ code: 'too_slow', message: 'The request body arrived too slowly.' }).problem;

/** What a byte of a chunk leaves behind whose memory was given back: the head of the chunk, and what waited for it. */
const LEFT_OF_LENT = 1 / 8;

/** As much of a request's context as reading its body takes. */
export type BodySource = Pick<RequestContext, 'request' | 'received' | 'pressure'> & {
  readonly service: Pick<RequestContext['service'], 'bodyTimeouts'>;
};

/**
 * Bytes of a chunk below which a reader yields to the event loop before it waits for the next one. A packet of many tiny HTTP chunks
 * would keep all others waiting: Bun hands each to a reader that waits, and gives nobody else a turn until the packet is over. To a
 * reader that doesn't wait it hands them together.
 */
const YIELD_BELOW = 4 * 1024;

export interface ReadOptions {
  /** Ends the body early, also while it waits for the client. */
  readonly stop?: AbortSignal;
  /** Ends the body as soon as it is aborted, with its reason, a Refusal. */
  readonly refused?: AbortSignal;
  /**
   * Whether each chunk is good only until the next one is asked for: its memory is free again then, and not when garbage is
   * collected, which takes a tenth of a second of the process for each 100 MB.
   */
  readonly lent?: boolean;
  /** About how many bytes of memory each byte leaves to be collected, its own among them; 1 unless it is given. */
  readonly garbagePerByte?: number;
}

/**
 * The request's body, chunk by chunk, given up when the client stalls, or trickles: over the last idle time of waiting it
 * has to come at the minimum rate, which rises with the pressure. Only time spent waiting for the client counts: our own
 * disk may take as long as it needs.
 *
 * It begins in another turn of the event loop: Bun accepts connections for as long as there are any, and takes the request that came
 * with each; what is done in the same turn keeps all others waiting until nobody connects any more.
 *
 * @throws Refusal `too_slow`; `malformed` when the client hangs up in the middle; what `refused` is aborted with
 */
export async function* readBody(
  source: BodySource,
  { stop, refused, lent = false, garbagePerByte = 1 }: ReadOptions = {},
): AsyncGenerator<Uint8Array> {
  const { request, service } = source;
  const { idle, minimumRate } = service.bodyTimeouts;
  if (!request.body) return;
  const reader = request.body.getReader();
  // Bun goes on receiving what nobody reads unless it is told.
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  for (const signal of [stop, refused]) signal?.addEventListener('abort', cancel);
  const rate = new TransferRate(idle);
  try {
    for (let [chunks, length] = [0, 0]; ; chunks += 1) {
      // Of the second read nothing is known yet: most bodies have one chunk.
      if (chunks === 0 || (chunks > 1 && length < YIELD_BELOW)) await nextTurn();
      const start = performance.now();
      const { done, value } = await withTimeout(reader.read(), idle, () => new Refusal(TOO_SLOW));
      refused?.throwIfAborted();
      if (done) return;
      length = value.length;
      const memory = lent ? memoryOf(value) : null;
      source.received(value.length, value.length * (garbagePerByte - (memory ? 1 - LEFT_OF_LENT : 0)));
      rate.add(performance.now() - start, value.length);
      if (rate.isBelow(minimumRate * source.pressure())) throw new Refusal(TOO_SLOW);
      yield value;
      if (memory) dropMemory(memory);
    }
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw new Refusal({ code: 'malformed', message: 'The request body ended early.' }, { cause });
  } finally {
    for (const signal of [stop, refused]) signal?.removeEventListener('abort', cancel);
    cancel();
  }
}
