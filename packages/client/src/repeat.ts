import { aborted, PostshelfError } from './error.ts';

/** Options of a call that may be repeated. */
export interface RepeatOptions {
  /**
   * Names the call for the service, which does it once, however often it comes: 1 to 255 visible ASCII characters. Give one
   * that you keep where you may make the call again yourself, such as after a restart. Default: a new one for each call.
   * null: none is sent, and the call isn't repeated.
   */
  readonly idempotencyKey?: string | null | undefined;
}

/** Repeats after the first try, by default. */
export const DEFAULT_REPEATS = 4;

/**
 * Milliseconds before a repeat: the first, and at most. Each is twice as long as the one before, less a random part of
 * up to a half.
 */
const PAUSE = { first: 250, longest: 8000 };

/** Seconds. A longer `Retry-After` ends the repeats. */
const LONGEST_RETRY_AFTER = 30;

/** Statuses of a proxy without the service, of a busy service, and of an earlier try that is still being answered. */
const PASSING: readonly number[] = [409, 502, 503, 504];

/** The key to send with a call; null: none. */
export const keyOf = ({ idempotencyKey }: RepeatOptions): string | null =>
  idempotencyKey === undefined ? newKey() : idempotencyKey;

// `randomUUID` is missing in pages that came by plain HTTP.
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Repeats a call, with growing pauses, after a lost connection or when the service asks for it.
 *
 * @param call harmless to repeat
 * @throws PostshelfError of the last try
 */
export async function repeating<T>(
  call: () => Promise<T>,
  repeats: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let left = repeats, pause = PAUSE.first; ; left -= 1, pause = Math.min(2 * pause, PAUSE.longest)) {
    try {
      return await call();
    } catch (error) {
      const wait = left > 0 ? waitBefore(error, pause) : null;
      if (wait === null) throw error;
      await delay(wait, signal);
    }
  }
}

/** Milliseconds until another try; null where that is useless. */
function waitBefore(error: unknown, pause: number): number | null {
  if (!(error instanceof PostshelfError)) return null;
  if (error.code !== 'unreachable' && !PASSING.includes(error.status)) return null;
  const after = error.retryAfter ?? 0;
  if (after > LONGEST_RETRY_AFTER) return null;
  // Random, so that clients that were refused together don't return together.
  return Math.max(after * 1000, pause / 2) + (Math.random() * pause) / 2;
}

/** @throws PostshelfError `aborted` */
function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
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
