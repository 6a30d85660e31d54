import { setTimeout as delay } from 'node:timers/promises';
import { backOff } from '@postshelf/domain';
import { isBusy } from './errors.ts';

const PAUSE = { first: 1, longest: 50 } as const;

/**
 * Repeats an action while another connection holds the write lock. SQLite's own busy handler would block the process,
 * and would deadlock if the other connection belongs to this thread.
 *
 * @param action must have no effect if it fails because of the lock
 * @param timeoutMs milliseconds after which the last attempt's error is thrown
 */
export async function retryWhileLocked<T>(action: () => T | Promise<T>, timeoutMs: number): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    await delay(Math.random() * backOff(attempt, PAUSE));
  }
}
