import { setTimeout as delay } from 'node:timers/promises';
import { isBusy } from './errors.ts';

/** The first and the longest pause between two tries, milliseconds. */
const PAUSE = { first: 1, longest: 50 } as const;

/**
 * Repeats what needs the database's write lock while another connection has it. SQLite's own busy handler would block
 * the whole process meanwhile, and for ever if that connection is this process's own.
 *
 * @param action leaves nothing behind when it meets the lock
 * @param timeoutMs after so many milliseconds the last try's error is thrown
 */
export async function retryWhileLocked<T>(action: () => T | Promise<T>, timeoutMs: number): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let pause: number = PAUSE.first; ; pause = Math.min(pause * 2, PAUSE.longest)) {
    try {
      return await action();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    await delay(Math.random() * pause);
  }
}
