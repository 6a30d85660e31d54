/** The waits in milliseconds for one kind of request that is sent repeatedly. */
export interface Waits {
  /** Number of requests that succeeded, with or without repeats. */
  readonly done: number;
  readonly median: number;
  /** The 99th percentile. */
  readonly p99: number;
  readonly longest: number;
  /** The start of the longest wait, in milliseconds since the first request. */
  readonly longestAt: number;
  /**
   * The longest wait, not counting the time in which the service itself waited for a processor. The machine is the
   * cause of that time.
   */
  readonly own: number;
  /** Whether the tenant gave up waiting at least once, so that its longest wait would have been even longer. */
  readonly isOpen: boolean;
  /** Number of answers other than success, by status; 0 counts requests without an answer. */
  readonly refusals: Readonly<Record<number, number>>;
}

/**
 * The outcome of an attempt: null for success, otherwise the status (0: no answer) and the milliseconds before the next
 * attempt.
 */
export type Try = { readonly status: number; readonly retryIn: number } | null;

/**
 * Sends one kind of request in a loop. It repeats a request if the answer requires that, and measures how long each
 * request took, including repeats.
 */
export class RequestLoop {
  readonly #times: number[] = [];
  readonly #refusals: Record<number, number> = {};
  #longest = { ms: 0, at: 0 };
  #own = 0;
  #givenUp = 0;
  readonly #opened = performance.now();

  /**
   * @param ask sends one request; the signal aborts at the timeout
   * @param pause milliseconds between two requests
   * @param timeout maximum milliseconds for a request and its repeats
   * @param processorWait milliseconds that the service has waited for a processor so far
   */
  constructor(
    private readonly ask: () => (signal: AbortSignal) => Promise<Try>,
    private readonly pause: number,
    private readonly timeout: number,
    private readonly processorWait: () => number,
  ) {}

  /** Runs until `isOver` returns true, and waits for the running request. */
  async run(isOver: () => boolean): Promise<void> {
    do {
      await this.#askUntilDone();
      await Bun.sleep(this.pause);
    } while (!isOver());
  }

  get waits(): Waits {
    const sorted = this.#times.toSorted((one, other) => one - other);
    const below = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
    return {
      done: sorted.length - this.#givenUp,
      median: below(0.5),
      p99: below(0.99),
      longest: this.#longest.ms,
      longestAt: this.#longest.at,
      own: this.#own,
      isOpen: this.#givenUp > 0,
      refusals: this.#refusals,
    };
  }

  async #askUntilDone(): Promise<void> {
    const start = { at: performance.now(), processorWait: this.processorWait() };
    const signal = AbortSignal.timeout(this.timeout);
    const attempt = this.ask();
    while (!signal.aborted) {
      // There is no answer if the connection was cut off, refused by the system, or timed out.
      const outcome = await attempt(signal).catch(() => ({ status: 0, retryIn: 200 }));
      if (outcome === null) {
        this.#note(start);
        return;
      }
      if (outcome.status !== 202) this.#refusals[outcome.status] = (this.#refusals[outcome.status] ?? 0) + 1;
      await Promise.race([Bun.sleep(outcome.retryIn), aborted(signal)]);
    }
    this.#note(start);
    this.#givenUp += 1;
  }

  #note(start: { readonly at: number; readonly processorWait: number }): void {
    const ms = performance.now() - start.at;
    this.#times.push(ms);
    if (ms > this.#longest.ms) this.#longest = { ms, at: start.at - this.#opened };
    this.#own = Math.max(this.#own, ms - (this.processorWait() - start.processorWait));
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
