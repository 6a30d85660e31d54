/** Milliseconds within which the same failure is logged only once, because work may fail many times a second for hours. */
const SILENCE = 10 * 60_000;

/** Decides which failures of a repeated work are logged. */
export class FailureNews {
  #last = { failure: '', at: 0 };

  /** Whether a failure differs from the last one that was logged, or that one was logged at least ten minutes ago. */
  has(error: unknown): boolean {
    const [failure, at] = [String(error), performance.now()];
    if (failure === this.#last.failure && at - this.#last.at < SILENCE) return false;
    this.#last = { failure, at };
    return true;
  }

  /** Called when the work has succeeded: the next failure is news, even if it is the same. */
  clear(): void {
    this.#last = { failure: '', at: 0 };
  }
}
