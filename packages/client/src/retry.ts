// The library's pages, the picker and `postshelf import` also use this module, as `@postshelf/client/retry`. The
// published package doesn't export it.
import { aborted, PostshelfError } from './error.ts';

export interface RepeatOptions {
  /**
   * Identifies the call, so that the service performs it only once: 1 to 255 visible ASCII characters. Pass a stored
   * key if you may retry the call yourself. Default: a new key for each call. null: no key is sent, and the call isn't
   * retried.
   */
  readonly idempotencyKey?: string | null | undefined;
}

/** Default number of retries after the first attempt. */
export const DEFAULT_REPEATS = 4;

/**
 * Pause before the first retry and maximum pause, in milliseconds. Pauses double, and are shortened at random by up to
 * half.
 */
const PAUSE = { first: 250, longest: 8000 };

/** Maximum `Retry-After` in seconds; a longer one ends the retries. */
const LONGEST_RETRY_AFTER = 60;

/**
 * Statuses of temporary failures: a slow connection, too many requests, a busy service, a proxy that can't reach it, or
 * an earlier attempt that is still in progress (409 and 423).
 */
const PASSING: readonly number[] = [408, 409, 423, 429, 502, 503, 504];

/** Returns the call's idempotency key, a new one by default; null if no key is to be sent. */
export const keyOf = ({ idempotencyKey }: RepeatOptions): string | null =>
  idempotencyKey === undefined ? newKey() : idempotencyKey;

/** Returns a new key of 32 characters. `crypto.randomUUID` is missing in pages served over plain HTTP. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Makes a call, and retries it after temporary failures.
 *
 * @param call must be safe to retry
 * @throws PostshelfError of the last attempt
 */
export async function repeating<T>(
  call: () => Promise<T>,
  repeats: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  const left = new Repeats(repeats, signal);
  for (;;) {
    try {
      return await call();
    } catch (error) {
      await left.next(error);
    }
  }
}

/** The remaining retries of a call. */
export class Repeats {
  #left: number;
  #pause = PAUSE.first;
  #reached = 0;

  constructor(
    private readonly repeats: number,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.#left = repeats;
  }

  /** Records how far the call has got. After any progress, the full number of retries is available again. */
  progress(reached: number): void {
    if (reached <= this.#reached) return;
    this.#reached = reached;
    this.#left = this.repeats;
    this.#pause = PAUSE.first;
  }

  /**
   * Waits before the next retry.
   *
   * @throws the error itself if no retries remain or a retry can't succeed; PostshelfError `aborted`
   */
  async next(error: unknown): Promise<void> {
    if (this.#left === 0 || !isPassing(error) || (error.retryAfter ?? 0) > LONGEST_RETRY_AFTER) throw error;
    const wait = waitAfter(error, this.#pause);
    this.#left -= 1;
    this.#pause = Math.min(2 * this.#pause, PAUSE.longest);
    await delay(wait, this.signal);
  }
}

/** Whether the failure is temporary, so that a retry may succeed. */
export const isPassing = (error: unknown): error is PostshelfError =>
  error instanceof PostshelfError && (error.code === 'unreachable' || PASSING.includes(error.status));

/**
 * Returns the milliseconds to wait before a retry: between half and all of `pause`, and at least as long as the service
 * asked. The wait is random, so that clients don't retry at the same time.
 */
export function waitAfter(error: unknown, pause: number): number {
  const asked = error instanceof PostshelfError ? (error.retryAfter ?? 0) * 1000 : 0;
  return Math.max(asked, pause / 2) + (Math.random() * pause) / 2;
}

/** Waits for a time in milliseconds. @throws PostshelfError `aborted` */
export function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      if (signal) reject(aborted(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}
