/**
 * The reason with which a completed download is aborted. It is created only once, because each new error collects a
 * stack.
 */
const OVER = new DOMException('The download is over.', 'AbortError');

/**
 * The lifetime of one download. The error that ends it early (from the caller, a time-out, a broken connection) becomes
 * the reason of {@link signal}, and every pending step throws that reason.
 */
export class Lifetime {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #timers = new Set<NodeJS.Timeout>();
  /** The functions that reject the pending steps. */
  readonly #waiting = new Set<(reason: unknown) => void>();

  /**
   * Starts a lifetime.
   *
   * @param caller a signal whose abort ends the download; if it is already aborted, its reason is thrown
   */
  constructor(caller: AbortSignal) {
    caller.throwIfAborted();
    this.#caller = caller;
    caller.addEventListener('abort', this.#endWithCaller, { once: true });
  }

  /** The signal that is aborted when the connection is no longer needed, for whatever reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Ends the lifetime, and leaves no timer, listener or pending step. Later reasons are ignored. By default, the reason
   * is an `AbortError`.
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

  /** Ends the lifetime after a time-out, unless the returned function is called first. */
  endAfter(milliseconds: number, reason: () => Error): () => void {
    const timer = setTimeout(() => this.end(reason()), milliseconds);
    this.#timers.add(timer);
    return () => {
      clearTimeout(timer);
      this.#timers.delete(timer);
    };
  }

  /** Returns the promise's result; throws the reason if the lifetime ends first. */
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
