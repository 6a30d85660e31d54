import { aborted, PostshelfError } from './error.ts';
import type { MediaItem } from './media-item.ts';
import type { PostshelfTrpc } from './trpc.ts';

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which the wait fails with `timeout`. Default: ten minutes; `Infinity`: never. */
  readonly timeout?: number | undefined;
}

const DEFAULT_TIMEOUT = 10 * 60 * 1000;

/** Milliseconds between two polls. */
const PAUSE = { first: 250, longest: 5000, factor: 1.5 };

/** In a row, as during a restart of the service. */
const MAX_FAILURES = 5;

const PASSING: readonly number[] = [408, 429, 502, 503, 504];

/** Milliseconds; with a longer delay a timer would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Polls an item with growing pauses until it is `active`. @throws PostshelfError */
export async function waitUntilReady(
  trpc: PostshelfTrpc,
  id: string,
  { signal, timeout = DEFAULT_TIMEOUT }: WaitOptions,
): Promise<MediaItem> {
  const end = new AbortController();
  const onAbort = () => signal && end.abort(aborted(signal));
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const message = `The media item was not ready after ${timeout} ms.`;
  const timer =
    timeout <= LONGEST_TIMER ? setTimeout(() => end.abort(new PostshelfError('timeout', message)), timeout) : undefined;
  try {
    return await poll(trpc, id, end.signal);
  } catch (error) {
    throw end.signal.aborted ? end.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

async function poll(trpc: PostshelfTrpc, id: string, signal: AbortSignal): Promise<MediaItem> {
  let failures = 0;
  for (let pause = PAUSE.first; ; pause = Math.min(pause * PAUSE.factor, PAUSE.longest)) {
    try {
      const { data } = await trpc.media.get.query({ id }, { signal });
      if (data.status === 'active') return data;
      if (data.status === 'failed') throw new PostshelfError('failed', data.error_message ?? 'The import failed.');
      failures = 0;
    } catch (error) {
      failures += 1;
      if (!passes(error) || failures >= MAX_FAILURES) throw error;
    }
    await delay(pause, signal);
  }
}

const passes = (error: unknown): boolean =>
  error instanceof PostshelfError && (error.code === 'unreachable' || PASSING.includes(error.status));

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
