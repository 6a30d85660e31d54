/** Why a download ended that nothing went wrong with. Made once: each has a stack. */
const OVER = new DOMException('The download is over.', 'AbortError');

/**
 * The lifetime of one download, from the look-up to the last byte. What ends it early (the caller, a time-out, a broken
 * connection) becomes the reason of {@link signal}, and every step that still waits throws it.
 */
export class Lifetime {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #timers = new Set<NodeJS.Timeout>();
  /** What makes the pending steps throw. */
  readonly #waiting = new Set<(reason: unknown) => void>();

  /** @param caller ends it with its own reason. Throws that when it is aborted already. */
  constructor(caller: AbortSignal) {
    caller.throwIfAborted();
    this.#caller = caller;
    caller.addEventListener('abort', this.#endWithCaller, { once: true });
  }

  /** Aborted when the connection is not needed any more, for whatever reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Ends it: no timer, listener or pending step is left. The first reason stays; an `AbortError` where none
   * is given.
   */
  end(reason: unknown = OVER): void {
    if (this.signal.aborted) return;
    this.#caller.removeEventListener('abort', this.#endWithCaller);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#controller.abort(reason);
    for (const abandon of this.#waiting) abandon(reason);
    this.#waiting.clear();
  }

  /** Ends it with the reason after so many milliseconds, unless the function that it gives is called before. */
  endAfter(milliseconds: number, reason: () => Error): () => void {
    const timer = setTimeout(() => this.end(reason()), milliseconds);
    this.#timers.add(timer);
    return () => {
      clearTimeout(timer);
      this.#timers.delete(timer);
    };
  }

  /** The promise's result; throws the reason when the lifetime ends first. */
  waitFor<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.signal.aborted) reject(this.signal.reason);
      else this.#waiting.add(reject);
      const settle =
        <V>(how: (value: V) => void) =>
        (value: V): void => {
          this.#waiting.delete(reject);
          how(value);
        };
      promise.then(settle(resolve), settle(reject));
    });
  }

  readonly #endWithCaller = (): void => this.end(this.#caller.reason);
}
