import { setTimeout as delay } from 'node:timers/promises';
import { isPassing } from '@postshelf/client/retry';
import { Refusal } from '@postshelf/domain';
import { count } from '../progress.ts';

/** The import can't continue. The message is a sentence that says why. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** This file isn't imported, but other files may be imported. The message is a sentence that says why. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';
}

export const SOURCE_UNAVAILABLE = 'The source cannot be reached.';

/** Milliseconds before a call is first repeated, and the maximum milliseconds before later repeats. */
const PAUSE = { first: 500, longest: 30_000 };

const MINUTE = 60_000;

/** Minutes without a successful call after which the import stops if the next call fails as well. */
const LONGEST = 10;

/** Pauses all calls while the service or the source can't be reached, or while the service asks for a pause. */
export class Patience {
  /** When to try again, on the clock of `performance.now`. */
  #until = 0;
  #failingSince: number | null = null;

  /** @param onWait called before each pause, with the reason for it */
  constructor(private readonly onWait: (reason: string) => void) {}

  /**
   * Makes a call, and repeats it after failures that may be temporary.
   *
   * @param call a call that is safe to repeat
   * @param longest minutes without a successful call after which the import stops
   * @throws Stopped if the service is read-only, or if no call has succeeded for that time; also the errors of `call`
   *   that aren't temporary
   */
  async through<T>(call: () => Promise<T>, longest = LONGEST): Promise<T> {
    for (let pause = PAUSE.first; ; pause = Math.min(2 * pause, PAUSE.longest)) {
      await this.#wait();
      const begun = performance.now();
      try {
        const result = await call();
        this.#failingSince = null;
        return result;
      } catch (error) {
        const passing = readPassing(error);
        if (passing === null) throw error;
        const { reason, retryAfter } = passing;
        // The service is read-only because the library was moved, or because a copy of it is in use.
        if (/\bread-only\b/.test(reason)) throw new Stopped(reason);
        const now = performance.now();
        this.#failingSince ??= now;
        // The time that this call took doesn't count, because a large upload may take longer than that.
        if (begun - this.#failingSince > longest * MINUTE)
          throw new Stopped(`${reason} That was so for ${count(longest, 'minute')}.`);
        this.#until = Math.max(this.#until, now + Math.max(retryAfter * 1000, pause));
        this.onWait(reason);
      }
    }
  }

  async #wait(): Promise<void> {
    for (let left = this.#until - performance.now(); left > 0; left = this.#until - performance.now()) {
      await delay(left);
    }
  }
}

/** Returns the reason for a failure that may be temporary, and the seconds to wait; null for any other error. */
function readPassing(error: unknown): { readonly reason: string; readonly retryAfter: number } | null {
  if (isPassing(error)) return { reason: error.message, retryAfter: error.retryAfter ?? 0 };
  if (error instanceof Refusal && error.problem.code === 'unavailable') {
    return { reason: SOURCE_UNAVAILABLE, retryAfter: 0 };
  }
  return null;
}
