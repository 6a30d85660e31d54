/** Milliseconds that work may take in one turn of the event loop before it yields. */
const TURN = 5;

/**
 * Divides long work on the main thread into turns of the event loop. A caller asks between two pieces of its work, each of
 * which takes no longer than about a turn:
 *
 * ```ts
 * for (const line of lines) {
 *   keep(line);
 *   await turns.next();
 * }
 * ```
 *
 * Where a turn has lasted for long all who ask wait in one line, and each turn goes on with one of them: were they all woken
 * together, many short pieces would make one long turn again.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  /** When this turn was first asked about; null if it wasn't yet. */
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

  /** What to await before the next piece of work; null as long as this turn is short. */
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
