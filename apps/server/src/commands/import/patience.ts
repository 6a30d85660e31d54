import { setTimeout as delay } from 'node:timers/promises';
import { PostshelfError } from '@postshelf/client';
import { Refusal } from '@postshelf/domain';

/** The import can't go on. A sentence. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** This file isn't taken, whatever becomes of others. A sentence. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';
}

export const SOURCE_UNAVAILABLE = 'The source is out of reach.';

/** Milliseconds before the first repeat, and at most. */
const PAUSE = { first: 500, longest: 30_000 };

/** Milliseconds without anything that worked, after which the import ends. */
const LONGEST = 10 * 60_000;

/** Too slow, too many requests, in progress elsewhere, or a service or a proxy that is busy or restarts. */
const PASSING: readonly number[] = [408, 409, 423, 429, 502, 503, 504];

/** Waits, for all that is done at once, while the service or the source is out of reach or asks for a pause. */
export class Patience {
  /** When to try again, on the clock of `performance.now`. */
  #until = 0;
  #failingSince: number | null = null;

  /** @param onWait called with the reason */
  constructor(private readonly onWait: (reason: string) => void) {}

  /**
   * @param call safe to repeat
   * @throws Stopped if the service is read-only, or after ten minutes in which nothing worked; what else `call` throws
   */
  async through<T>(call: () => Promise<T>): Promise<T> {
    for (let pause = PAUSE.first; ; pause = Math.min(2 * pause, PAUSE.longest)) {
      await this.#wait();
      try {
        const result = await call();
        this.#failingSince = null;
        return result;
      } catch (error) {
        const passing = readPassing(error);
        if (passing === null) throw error;
        const { reason, retryAfter } = passing;
        // The library was moved, or a copy of it is in use.
        if (/\bread-only\b/.test(reason)) throw new Stopped(reason);
        const now = performance.now();
        this.#failingSince ??= now;
        if (now - this.#failingSince > LONGEST) throw new Stopped(`${reason} That was so for ten minutes.`);
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

/** null for an error that another try doesn't mend. */
function readPassing(error: unknown): { readonly reason: string; readonly retryAfter: number } | null {
  if (error instanceof PostshelfError && (error.code === 'unreachable' || PASSING.includes(error.status))) {
    return { reason: error.message, retryAfter: error.retryAfter ?? 0 };
  }
  if (error instanceof Refusal && error.problem.code === 'unavailable') {
    return { reason: SOURCE_UNAVAILABLE, retryAfter: 0 };
  }
  return null;
}
