import { aborted, PostshelfError } from './error.ts';

export interface RepeatOptions {
  /**
   * Identifies the call, so that the service does it only once: 1 to 255 visible ASCII characters. Give a key that you
   * store if you may make the call again yourself. Default: a new key for each call. null: no key is sent, and the call
   * isn't repeated.
   */
  readonly idempotencyKey?: string | null | undefined;
}

/** Default number of repeats after the first try. */
export const DEFAULT_REPEATS = 4;

/**
 * Milliseconds before the first repeat, and at most; each pause is twice as long, and up to a half shorter at random.
 */
const PAUSE = { first: 250, longest: 8000 };

/** Seconds; a longer `Retry-After` ends the repeats. */
const LONGEST_RETRY_AFTER = 60;

/** A slow connection, a busy service, a proxy that can't reach it, or 409 and 423: an earlier try is still in progress. */
const PASSING: readonly number[] = [408, 409, 423, 502, 503, 504];

/** null for none. */
export const keyOf = ({ idempotencyKey }: RepeatOptions): string | null =>
  idempotencyKey === undefined ? newKey() : idempotencyKey;

// `crypto.randomUUID` is missing in pages served over plain HTTP.
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * After a lost connection or when the service asks for it.
 *
 * @param call safe to repeat
 * @throws PostshelfError of the last try
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

/** The repeats that a call has left. */
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

  /** Tells how far the work is: once it is further, all repeats are left again. */
  progress(reached: number): void {
    if (reached <= this.#reached) return;
    this.#reached = reached;
    this.#left = this.repeats;
    this.#pause = PAUSE.first;
  }

  /** Waits before the next repeat. @throws the error, if there is none or it would be useless; PostshelfError `aborted` */
  async next(error: unknown): Promise<void> {
    const wait = this.#left > 0 ? waitBefore(error, this.#pause) : null;
    if (wait === null) throw error;
    this.#left -= 1;
    this.#pause = Math.min(2 * this.#pause, PAUSE.longest);
    await delay(wait, this.signal);
  }
}

/** Whether another try may be answered otherwise. */
export const isPassing = (error: unknown): error is PostshelfError =>
  error instanceof PostshelfError && (error.code === 'unreachable' || PASSING.includes(error.status));

/** null if another try is useless. */
function waitBefore(error: unknown, pause: number): number | null {
  if (!isPassing(error)) return null;
  const after = error.retryAfter ?? 0;
  if (after > LONGEST_RETRY_AFTER) return null;
  // Random, so that clients don't retry at the same time.
  return Math.max(after * 1000, pause / 2) + (Math.random() * pause) / 2;
}

/** @throws PostshelfError `aborted` */
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
