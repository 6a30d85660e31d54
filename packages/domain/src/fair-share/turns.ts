/** Maximum length of a turn in milliseconds. */
const TURN = 5;

/**
 * Divides long work on the main thread: await `next` between pieces. Once a turn is too long, callers queue, and each
 * later turn wakes one of them. Waking all of them together would cause another long turn.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #began: number | null = null;
  #isAwaited = false;

  /**
   * @param now a monotonic clock in milliseconds
   * @param afterOthers calls back after the platform has polled for events
   */
  constructor(
    private readonly now: () => number,
    private readonly afterOthers: (callback: () => void) => void,
  ) {}

  /** Returns null while this turn is short enough to continue; otherwise a promise that resolves in a later turn. */
  next(): Promise<void> | null {
    this.#began ??= this.now();
    this.#awaitNext();
    if (this.now() - this.#began < TURN) return null;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #awaitNext(): void {
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    this.afterOthers(() => {
      this.#isAwaited = false;
      const first = this.#waiting.shift();
      this.#began = first ? this.now() : null;
      if (!first) return;
      this.#awaitNext();
      first();
    });
  }
}
