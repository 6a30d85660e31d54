import { setTimeout as delay } from 'node:timers/promises';
import { isUndone } from './errors.ts';

const MAX_ATTEMPTS = 5;

/** The longest pause before the second attempt, milliseconds; doubled before each further one. */
const PAUSE = 10;

/**
 * Does a transaction again that PostgreSQL undid for another's sake (deadlock, serialization failure), after a pause of
 * random length, or the two would meet again.
 *
 * @throws the last attempt's error
 */
export async function retryUndone<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (!isUndone(error) || attempt === MAX_ATTEMPTS) throw error;
    }
    await delay(Math.random() * PAUSE * 2 ** (attempt - 1));
  }
}
