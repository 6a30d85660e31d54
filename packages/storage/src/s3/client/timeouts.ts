/**
 * How long a store is waited for. A store that hangs ends every operation within some 30 seconds: the attempts, and
 * {@link TIDY_TIME} where something has to be taken back.
 */

/** Milliseconds to connect. */
export const CONNECT_TIME = 3000;

/** Milliseconds until a request without much of a body is answered. */
export const ANSWER_TIME = 8000;

/** Milliseconds for a copy within the store or for putting parts together, all attempts: some answer only when it is done. */
export const COPY_TIME = 25_000;

/** Milliseconds without a byte on its way, in a body that is being sent or received. */
const STALL_TIME = 8000;

/** Milliseconds that tidying up after a failure may take; what is left is for the sweep. */
export const TIDY_TIME = 4000;

/** Times that a request is sent in all. */
export const ATTEMPTS = 3;

const FIRST_PAUSE = 200;

/** Waits before the next attempt: twice as long each time, and never in step with others. */
export function pauseAfter(attempt: number): Promise<void> {
  const longest = FIRST_PAUSE * 2 ** attempt;
  return new Promise((resolve) => setTimeout(resolve, longest * (0.5 + Math.random() / 2)));
}

/** Ends work in which nothing moves: its signal is aborted {@link STALL_TIME} after the last {@link moved}. */
export class StallWatch {
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly time: number = STALL_TIME) {
    this.moved();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Begins to wait anew. */
  moved(): void {
    this.rest();
    this.#timer = setTimeout(() => this.abort(), this.time);
  }

  /** Stops waiting: it isn't the store's turn. */
  rest(): void {
    clearTimeout(this.#timer);
  }

  /** Ends the work now. */
  abort(): void {
    this.rest();
    this.#controller.abort();
  }
}
