/**
 * The lifetime of one download, from the look-up to the last byte. What ends it early (the caller, a time-out, a broken
 * connection) becomes the reason of {@link signal}, and every step that still waits throws it.
 */
export class Lifetime {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #timers = new Set<NodeJS.Timeout>();

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
  end(reason?: unknown): void {
    this.#caller.removeEventListener('abort', this.#endWithCaller);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#controller.abort(reason);
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
      const abandon = (): void => reject(this.signal.reason);
      if (this.signal.aborted) abandon();
      this.signal.addEventListener('abort', abandon, { once: true });
      promise.then(resolve, reject).finally(() => this.signal.removeEventListener('abort', abandon));
    });
  }

  readonly #endWithCaller = (): void => this.end(this.#caller.reason);
}
