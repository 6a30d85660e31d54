import { turns } from '@postshelf/application';
import { DEFAULT_PER_PAGE, Refusal } from '@postshelf/domain';

/** Most calls in one batched request. */
export const MAX_BATCH_SIZE = 50;

/**
 * Most rows and bytes of all answers of one batch: a page of the default size for each of the most calls, or two of the
 * largest pages.
 */
const BATCH_BUDGET = { rows: MAX_BATCH_SIZE * DEFAULT_PER_PAGE, bytes: 9_000_000 } as const;

/** Concurrent reads of one batch: each may hold a whole page until it is counted. */
const READS_AT_ONCE = 4;

/** Concurrent reads until the first has answered, as each might be a page of the largest size. */
const FIRST_READS = 2;

const TOO_LARGE =
  'The answers of this batch are too large together: ask for this one in a request of its own, or for smaller pages.';

/**
 * Limits the answers of a batch. A call whose answer exceeds the rest of the budget fails, and no later one is started;
 * earlier answers stay. So neither the answer nor the work for it grows with the number of calls. To avoid reads in
 * vain, a further read starts beside running ones only while there is room for as many answers of the largest size so
 * far.
 */
export class BatchBudget {
  #rows: number;
  #bytes: number;
  /** Bytes of the largest answer so far; null before the first. */
  #largest: number | null = null;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param hold reserves memory for an answer until the whole batch is sent; may refuse */
  constructor(
    private readonly hold: (bytes: number) => void,
    limits: { readonly rows: number; readonly bytes: number } = BATCH_BUDGET,
  ) {
    this.#rows = limits.rows;
    this.#bytes = limits.bytes;
  }

  /** Runs a reading call once its turn comes. @throws Refusal `too_large`, or what the call throws */
  async read(call: () => Promise<unknown>): Promise<unknown> {
    const turn = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#beginMore();
    await turn;
    try {
      // The budget is used up, so the call isn't started.
      if (this.#rows <= 0 || this.#bytes <= 0) throw tooLarge();
      const answer = await call();
      return this.#charge(answer, await bytesOf(answer));
    } finally {
      this.#running--;
      this.#beginMore();
    }
  }

  #beginMore(): void {
    while (this.#running === 0 || this.#hasRoomBeside()) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#running++;
      next();
    }
  }

  /** Runs a call that changes something: its answer is never refused for its size, as the change has been made. */
  async write(call: () => Promise<unknown>): Promise<unknown> {
    const answer = await call();
    const bytes = await bytesOf(answer);
    this.#rows -= rowsOf(answer);
    this.#bytes -= bytes;
    return answer;
  }

  #hasRoomBeside(): boolean {
    if (this.#largest === null) return this.#running < FIRST_READS;
    return this.#running < READS_AT_ONCE && this.#largest * (this.#running + 1) <= this.#bytes;
  }

  #charge(answer: unknown, bytes: number): unknown {
    this.#rows -= rowsOf(answer);
    this.#bytes -= bytes;
    this.#largest = Math.max(this.#largest ?? 0, bytes);
    // A refused answer counts, too; otherwise each of fifty calls would be read before it is refused.
    if (this.#rows < 0 || this.#bytes < 0) throw tooLarge();
    this.hold(bytes);
    return answer;
  }
}

const tooLarge = (): Refusal => new Refusal({ code: 'too_large', message: TOO_LARGE });

/** The number of items of a list; 1 for any other answer. */
const rowsOf = (answer: unknown): number => itemsOf(answer)?.length ?? 1;

/**
 * Bytes of the answer as JSON. A list is measured item by item, so that its text is neither held as a whole nor made in
 * one long turn.
 */
export async function bytesOf(answer: unknown): Promise<number> {
  const items = itemsOf(answer);
  if (!items || items.length === 0) return jsonBytes(answer);
  // Items are separated by commas.
  let bytes = jsonBytes({ ...Object(answer), data: [] }) + items.length - 1;
  for (const item of items) {
    bytes += jsonBytes(item);
    const next = turns.next();
    if (next) await next;
  }
  return bytes;
}

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value ?? null));

function itemsOf(answer: unknown): readonly unknown[] | null {
  const { data }: { readonly data?: unknown } = Object(answer);
  return Array.isArray(data) ? data : null;
}
