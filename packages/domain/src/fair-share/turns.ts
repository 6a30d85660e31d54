/** Milliseconds that work may take in one turn of the event loop before it yields. */
const TURN = 5;

/**
 * Divides long work on the main thread into turns of the event loop. A caller awaits `next` between two pieces of its
 * work, each of which takes no longer than about a turn:
 *
 * ```ts
 * for (const line of lines) {
 *   keep(line);
 *   await turns.next();
 * }
 * ```
 *
 * Once a turn has lasted too long, all callers wait in one queue, and each later turn wakes one of them: if all were
 * woken together, many short pieces would make one long turn again.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  /** When `next` was first called in this turn; null if it wasn't yet. */
  #began: number | null = null;
  #isAwaited = false;

  /**
   * @param now a clock in milliseconds that never goes back
   * @param afterOthers calls back in a later turn, after the platform has polled for new events
   */
  constructor(
    private readonly now: () => number,
    private readonly afterOthers: (callback: () => void) => void,
  ) {}

  /** A promise to await before the next piece of work; null while this turn is short. */
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
