import { PostshelfError } from '@postshelf/client';
import { isPassing, waitAfter } from '@postshelf/client/retry';

/**
 * The pause before the first retry of a file, and the maximum pause, in milliseconds. Pauses double, and are shortened
 * at random by up to half.
 */
const PAUSE = { first: 500, longest: 8000 };

/** Milliseconds without progress after which the connection counts as lost. */
const STALL = 60_000;

/** Returns what a retry has to wait for; null if a retry can't succeed. */
export function reasonToWait(error: unknown): 'offline' | 'busy' | null {
  if (error instanceof Stalled) return 'offline';
  if (!isPassing(error)) return null;
  return error.code === 'unreachable' ? 'offline' : 'busy';
}

/**
 * Whether the user may retry later. A retry can't succeed if the file itself or its destination was refused; after a
 * 401, it may succeed with a new session.
 */
export const mayPass = (error: unknown): boolean =>
  isPassing(error) ||
  (error instanceof PostshelfError && (error.status < 400 || error.status === 401 || error.status >= 500));

export const pauseAfter = (tries: number, error: unknown): number =>
  waitAfter(error, Math.min(PAUSE.first * 2 ** Math.min(tries - 1, 10), PAUSE.longest));

/** Waits for `ms` milliseconds, or until the browser is online again. @throws the signal's reason */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      globalThis.removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    globalThis.addEventListener('online', end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}

/** Thrown after {@link STALL} without progress, if the connection itself reported no error. */
class Stalled extends Error {
  override readonly name = 'Stalled';
}

/**
 * Makes a call that sends a file, and aborts the call when it has made no progress for {@link STALL}: otherwise, a lost
 * connection might be noticed only after 15 minutes. Once all bytes are sent, there is no time limit.
 *
 * @throws Stalled; whatever the call throws
 */
export async function abortWhenStalled<T>(
  call: (signal: AbortSignal, onProgress: (progress: { loaded: number; total: number }) => void) => Promise<T>,
  onProgress: (loaded: number) => void,
  signal: AbortSignal,
): Promise<T> {
  const stall = new AbortController();
  let timer = setTimeout(() => stall.abort(), STALL);
  try {
    return await call(AbortSignal.any([signal, stall.signal]), ({ loaded, total }) => {
      clearTimeout(timer);
      if (loaded < total) timer = setTimeout(() => stall.abort(), STALL);
      onProgress(loaded);
    });
  } catch (error) {
    throw stall.signal.aborted && !signal.aborted ? new Stalled('No bytes were sent for a minute.') : error;
  } finally {
    clearTimeout(timer);
  }
}
