/**
 * How long a store is waited for, in milliseconds. With {@link TIMEOUTS} a store that hangs ends every operation within
 * some 30 seconds: the attempts, and `cleanup` where something has to be taken back.
 */
export interface Timeouts {
  readonly connect: number;
  /** Until a request without much of a body is answered. */
  readonly response: number;
  /** For a copy within the store or for putting parts together, all attempts: some answer only when it is done. */
  readonly copy: number;
  /** Without a byte on its way, in a body that is being sent or received. */
  readonly stall: number;
  /** For removing what a failed operation left; the sweep removes what remains. */
  readonly cleanup: number;
}

export const TIMEOUTS: Timeouts = { connect: 3000, response: 8000, copy: 25_000, stall: 8000, cleanup: 4000 };

/** Times that a request is sent in all. */
export const ATTEMPTS = 3;

const FIRST_DELAY = 200;

/** Waits before the next attempt: twice as long each time, and never in step with others. */
export function backOff(attempt: number): Promise<void> {
  const longest = FIRST_DELAY * 2 ** attempt;
  return new Promise((resolve) => setTimeout(resolve, longest * (0.5 + Math.random() / 2)));
}

/** Ends work in which nothing moves: its signal is aborted so many milliseconds after the last {@link progressed}. */
export class StallTimer {
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly time: number) {
    this.progressed();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Restarts the time. */
  progressed(): void {
    this.pause();
    this.#timer = setTimeout(() => this.abort(), this.time);
  }

  /** Stops waiting: it isn't the store's turn. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Ends the work now. */
  abort(): void {
    this.pause();
    this.#controller.abort();
  }
}
