import { setTimeout as delay } from 'node:timers/promises';
import { backOff } from '@postshelf/domain';

/**
 * Time limits for requests to a store, in milliseconds. With {@link TIMEOUTS}, operations on a store that hangs fail
 * within about 30 seconds.
 */
export interface Timeouts {
  readonly connect: number;
  /** Limit for the response to a request with a small body. */
  readonly response: number;
  /** Limit for copying within the store, or for completing an upload; covers all attempts together. */
  readonly copy: number;
  readonly stall: number;
  /** Limit for removing leftovers after a failure; the rest is discarded as abandoned. */
  readonly cleanup: number;
}

export const TIMEOUTS: Timeouts = { connect: 3000, response: 8000, copy: 25_000, stall: 8000, cleanup: 4000 };

/** Maximum number of attempts at one request. */
export const ATTEMPTS = 3;

const DELAY = { first: 400, longest: 10_000 } as const;

/** Waits after a failed attempt, with jitter. */
export const waitAfter = (failures: number): Promise<void> =>
  delay(backOff(failures, DELAY) * (0.5 + Math.random() / 2));

/** Aborts its signal `time` milliseconds after the last {@link progressed}. */
export class StallTimer {
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly time: number) {
    this.progressed();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  progressed(): void {
    this.pause();
    this.#timer = setTimeout(() => this.abort(), this.time);
  }

  pause(): void {
    clearTimeout(this.#timer);
  }

  abort(): void {
    this.pause();
    this.#controller.abort();
  }
}
