import { turns } from '@postshelf/application';
import { DEFAULT_PER_PAGE, Refusal } from '@postshelf/domain';
import { renderError } from '../../errors.ts';
import { jsonBytes } from '../../reply.ts';

/** Maximum calls in one batched request. */
export const MAX_BATCH_SIZE = 50;

/**
 * Budget for all answers of a batch: a page of default size for each call of the largest batch, or two of the largest
 * pages.
 */
const BATCH_BUDGET = { rows: MAX_BATCH_SIZE * DEFAULT_PER_PAGE, bytes: 9 * 1024 * 1024 } as const;

const TOO_LARGE =
  'Together, the answers of this batch are too large: send this call in a separate request, or ask for smaller pages.';

/**
 * Limits the answers of a batch. Its calls run one after another, as long as some of the budget is left. A reading call
 * fails if its answer exceeds the rest of the budget; earlier answers are kept. Calls that are refused also use up the
 * budget.
 */
export class BatchBudget {
  #rows: number;
  #bytes: number;
  #last: Promise<unknown> = Promise.resolve();

  /** @param hold reserves memory until the whole batch is sent, or throws a refusal */
  constructor(
    private readonly hold: (bytes: number) => void,
    limits: { readonly rows: number; readonly bytes: number } = BATCH_BUDGET,
  ) {
    this.#rows = limits.rows;
    this.#bytes = limits.bytes;
  }

  /** Runs a reading call in its turn. @throws Refusal `too_large`, or whatever the call throws */
  read(call: () => Promise<unknown>): Promise<unknown> {
    return this.#inTurn(call, (bytes) => {
      // A refused answer also uses up the budget, because otherwise all fifty calls would read their data.
      if (this.#rows < 0 || this.#bytes < 0) throw tooLarge();
      this.hold(bytes);
    });
  }

  /** Runs a call that makes a change. Its answer is never refused. @throws as {@link read}, but only before the call */
  write(call: () => Promise<unknown>): Promise<unknown> {
    return this.#inTurn(call, () => undefined);
  }

  #inTurn(call: () => Promise<unknown>, onAnswer: (bytes: number) => void): Promise<unknown> {
    const turn = this.#last.then(() => this.#run(call, onAnswer));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #run(call: () => Promise<unknown>, onAnswer: (bytes: number) => void): Promise<unknown> {
    if (this.#rows <= 0 || this.#bytes <= 0) throw tooLarge();
    try {
      const answer = await call();
      const bytes = await bytesOf(answer);
      this.#rows -= rowsOf(answer);
      this.#bytes -= bytes;
      onAnswer(bytes);
      return answer;
    } catch (error) {
      const bytes = jsonBytes(renderError(error).body);
      this.#bytes -= bytes;
      if (error instanceof Refusal) this.hold(bytes);
      throw error;
    }
  }
}

const tooLarge = (): Refusal => new Refusal({ code: 'too_large', message: TOO_LARGE });

/** Returns the number of items of a list; 1 for any other answer. */
const rowsOf = (answer: unknown): number => itemsOf(answer)?.length ?? 1;

/** Returns the size of an answer as JSON. A list is measured item by item, not in one long turn of the event loop. */
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

function itemsOf(answer: unknown): readonly unknown[] | null {
  const { data }: { readonly data?: unknown } = Object(answer);
  return Array.isArray(data) ? data : null;
}
