import { DEFAULT_PER_PAGE, Refusal } from '@postshelf/domain';

/** Calls in one batched request. */
export const MAX_BATCH_SIZE = 50;

/** What the answers of one batch may have together: the most calls with a page of the default size each, or two pages of the most bytes. */
const BATCH_BUDGET = { rows: MAX_BATCH_SIZE * DEFAULT_PER_PAGE, bytes: 9_000_000 } as const;

/** Reads of one batch that run at once: each may hold a whole page until it is counted. */
const READS_AT_ONCE = 4;

const TOO_LARGE =
  'The answers of this batch are too large together: ask for this one in a request of its own, or for smaller pages.';

/**
 * Counts what the calls of a batch answer. A call whose answer has no room left fails, and none behind it is begun; those
 * before it stay. So neither the answer nor the work to make it grows with the number of calls.
 */
export class BatchBudget {
  #rows: number;
  #bytes: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param hold sets memory aside for an answer, until the whole batch is sent; may refuse */
  constructor(
    private readonly hold: (bytes: number) => void,
    limits: { readonly rows: number; readonly bytes: number } = BATCH_BUDGET,
  ) {
    this.#rows = limits.rows;
    this.#bytes = limits.bytes;
  }

  /** What a reading call answers; the first so many at once. @throws Refusal `too_large`, or what the call throws */
  async read(call: () => Promise<unknown>): Promise<unknown> {
    if (this.#running < READS_AT_ONCE) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      // Not begun in vain.
      if (this.#rows <= 0 || this.#bytes <= 0) throw tooLarge();
      return this.#charge(await call());
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  /** What a call answers that has changed something: never refused for its size, as it is done. */
  async write(call: () => Promise<unknown>): Promise<unknown> {
    const answer = await call();
    this.#rows -= rowsOf(answer);
    this.#bytes -= bytesOf(answer);
    return answer;
  }

  #charge(answer: unknown): unknown {
    const [rows, bytes] = [rowsOf(answer), bytesOf(answer)];
    this.#rows -= rows;
    this.#bytes -= bytes;
    // What was read in vain counts, too, or each of fifty calls would be read before it is refused.
    if (this.#rows < 0 || this.#bytes < 0) throw tooLarge();
    this.hold(bytes);
    return answer;
  }
}

const tooLarge = (): Refusal => new Refusal({ code: 'too_large', message: TOO_LARGE });

/** The items of a list, 1 for any other answer. */
function rowsOf(answer: unknown): number {
  const { data }: { readonly data?: unknown } = Object(answer);
  return Array.isArray(data) ? data.length : 1;
}

/** Of JSON. */
export const bytesOf = (answer: unknown): number => Buffer.byteLength(JSON.stringify(answer ?? null));
