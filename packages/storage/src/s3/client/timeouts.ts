/**
 * How long to wait for a store, in milliseconds. With {@link TIMEOUTS}, operations on a hanging store fail within about
 * 30 seconds.
 */
export interface Timeouts {
  readonly connect: number;
  /** Until the answer to a request with a small body. */
  readonly response: number;
  /** For a copy within the store, or completing an upload, all attempts together. */
  readonly copy: number;
  /** Without progress while a body is sent or received. */
  readonly stall: number;
  /** For removing leftovers of a failed operation; the sweep removes the rest. */
  readonly cleanup: number;
}

export const TIMEOUTS: Timeouts = { connect: 3000, response: 8000, copy: 25_000, stall: 8000, cleanup: 4000 };

/** How often a request is sent at most. */
export const ATTEMPTS = 3;

const FIRST_DELAY = 200;

/** Waits before the next attempt: exponential backoff with jitter. */
export function backOff(attempt: number): Promise<void> {
  const longest = FIRST_DELAY * 2 ** attempt;
  return new Promise((resolve) => setTimeout(resolve, longest * (0.5 + Math.random() / 2)));
}

/** Ends stalled work: aborts its signal `time` milliseconds after the last {@link progressed}. */
export class StallTimer {
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly time: number) {
    this.progressed();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Restarts the timer. */
  progressed(): void {
    this.pause();
    this.#timer = setTimeout(() => this.abort(), this.time);
  }

  /** Stops the timer, while the store isn't expected to do anything. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Ends the work now. */
  abort(): void {
    this.pause();
    this.#controller.abort();
  }
}
