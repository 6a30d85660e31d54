/**
 * How long a store is waited for. A store that hangs ends every operation within some 30 seconds: the attempts, and
 * {@link CLEANUP_TIMEOUT} where something has to be taken back.
 */

/** Milliseconds to connect. */
export const CONNECT_TIMEOUT = 3000;

/** Milliseconds until a request without much of a body is answered. */
export const RESPONSE_TIMEOUT = 8000;

/** Milliseconds for a copy within the store or for putting parts together, all attempts: some answer only when it is done. */
export const COPY_TIMEOUT = 25_000;

/** Milliseconds without a byte on its way, in a body that is being sent or received. */
const STALL_TIMEOUT = 8000;

/** Milliseconds for removing what a failed operation left; the sweep removes what remains. */
export const CLEANUP_TIMEOUT = 4000;

/** Times that a request is sent in all. */
export const ATTEMPTS = 3;

const FIRST_DELAY = 200;

/** Waits before the next attempt: twice as long each time, and never in step with others. */
export function backOff(attempt: number): Promise<void> {
  const longest = FIRST_DELAY * 2 ** attempt;
  return new Promise((resolve) => setTimeout(resolve, longest * (0.5 + Math.random() / 2)));
}

/** Ends work in which nothing moves: its signal is aborted {@link STALL_TIMEOUT} after the last {@link progressed}. */
export class StallTimer {
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly time: number = STALL_TIMEOUT) {
    this.progressed();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Begins to wait anew. */
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
