import { Refusal } from '@postshelf/domain';
import type { BodyPace } from '../service.ts';

const TOO_SLOW = new Refusal({ code: 'too_slow', message: 'The request body arrived too slowly.' }).problem;

/**
 * The request's body, chunk by chunk, given up when the client stalls or trickles. Only time spent waiting for the
 * client counts: our own disk may take as long as it needs.
 *
 * @param stop ends it early, also while it waits for the client
 * @throws Refusal `too_slow`; `malformed` when the client hangs up in the middle
 */
export async function* readBody(request: Request, pace: BodyPace, stop?: AbortSignal): AsyncGenerator<Uint8Array> {
  if (!request.body) return;
  const reader = request.body.getReader();
  // Bun goes on receiving what nobody reads unless it is told.
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  stop?.addEventListener('abort', cancel);
  let waited = 0;
  let received = 0;
  try {
    for (;;) {
      const start = performance.now();
      const { done, value } = await orTooSlow(reader.read(), pace.idleTimeout);
      if (done) return;
      waited += performance.now() - start;
      received += value.length;
      pace.onChunk?.(value.length, request);
      if (waited >= pace.idleTimeout) {
        if (received * 1000 < pace.minimumRate * waited) throw new Refusal(TOO_SLOW);
        waited = 0;
        received = 0;
      }
      yield value;
    }
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw new Refusal({ code: 'malformed', message: 'The request body ended early.' }, { cause });
  } finally {
    stop?.removeEventListener('abort', cancel);
    cancel();
  }
}

async function orTooSlow<T>(promise: Promise<T>, timeout: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Refusal(TOO_SLOW)), timeout);
  });
  try {
    return await Promise.race([promise, expiry]);
  } finally {
    clearTimeout(timer);
  }
}
