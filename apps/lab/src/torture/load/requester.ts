import { closeSync, openSync, writeSync } from 'node:fs';
import type { Pending } from '../ledger/register.ts';
import { at } from '../support/json.ts';
import { hold } from '../violation.ts';
import type { Answer } from './api.ts';

/** Requests and answers, one per line, for the analysis of a violation. A request is written before it is sent. */
export class Journal {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  note(what: string, facts: Readonly<Record<string, unknown>>): void {
    writeSync(this.#file, `${JSON.stringify({ at: new Date().toISOString(), what, ...facts })}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** How requests of one kind were answered. */
export interface Tally {
  acknowledged: number;
  /** Number of refused requests whose refusal a race with another request explains. */
  refused: number;
  /** Number of requests without an answer, or with 503: the outcome is unknown. */
  unanswered: number;
}

/** A request, and the writes that it makes if it succeeds. */
export interface WriteRequest {
  /** The row of the report in which the request is counted. */
  readonly kind: string;
  /** The subject of the request, for the journal. */
  readonly about: Readonly<Record<string, unknown>>;
  readonly writes: readonly Pending[];
  readonly send: () => Promise<Answer | null>;
  /** Statuses of success. */
  readonly done: readonly number[];
  /** Whether a refusal is correct. */
  readonly mayRefuse?: (answer: Answer) => boolean;
  /**
   * Reads ids from the answer. Only requests with an `Idempotency-Key` have this function; they are repeated if they
   * aren't answered.
   */
  readonly take?: (answer: Answer) => void;
}

/** Sends requests, and records them and their answers in the journal and the ledger. */
export class Requester {
  readonly tallies = new Map<string, Tally>();
  /** Requests whose outcome is unknown, and which can be repeated because they have an `Idempotency-Key`. */
  #unanswered: WriteRequest[] = [];

  constructor(private readonly journal: Journal) {}

  /**
   * Sends a request.
   *
   * @returns the answer if it is a success, otherwise null
   * @throws Violation for an answer that nothing explains
   */
  async ask(asked: WriteRequest): Promise<Answer | null> {
    const { kind, about, writes, send, done, mayRefuse, take } = asked;
    const tally = this.#tallyOf(kind);
    this.journal.note(`asked: ${kind}`, about);
    const answer = await send();
    this.journal.note(`answered: ${kind}`, { ...about, status: answer?.status ?? null });
    if (!answer || answer.status === 503) {
      tally.unanswered += 1;
      if (take) this.#unanswered.push(asked);
      return null;
    }
    if (done.includes(answer.status)) {
      for (const write of writes) write.acknowledge();
      tally.acknowledged += 1;
      take?.(answer);
      return answer;
    }
    const isOther = at(answer.json, 'errors', 'idempotency_key') !== undefined;
    hold(!isOther, 'A repeat was taken for another request.', { ...about, answer });
    hold(mayRefuse?.(answer) ?? false, `${kind} was answered with ${answer.status}.`, { ...about, answer });
    for (const write of writes) write.refuse();
    tally.refused += 1;
    return null;
  }

  /**
   * Repeats the unanswered requests that have an `Idempotency-Key`. Each of them that is answered now has been carried
   * out exactly once. The outcome of unanswered requests without a key stays unknown.
   *
   * @param isWanted called for each request; a request that isn't wanted is dropped
   * @throws Violation
   */
  async repeat(isWanted: () => boolean): Promise<void> {
    const wanted = this.#unanswered.filter(isWanted);
    this.#unanswered = [];
    for (const asked of wanted) await this.ask({ ...asked, kind: `${asked.kind.replace(/ again$/, '')} again` });
  }

  #tallyOf(kind: string): Tally {
    const found = this.tallies.get(kind) ?? { acknowledged: 0, refused: 0, unanswered: 0 };
    this.tallies.set(kind, found);
    return found;
  }
}
