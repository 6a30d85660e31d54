import { closeSync, openSync, writeSync } from 'node:fs';
import type { Pending } from '../ledger/register.ts';
import { at } from '../support/json.ts';
import { hold } from '../violation.ts';
import type { Answer } from './api.ts';

/** What was asked and answered, a line each, for whoever looks into a violation: written before it is sent. */
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
  /** For a reason that a race with another request explains. */
  refused: number;
  /** Without an answer, or with 503: it may be done, or not. */
  unanswered: number;
}

/** A request, and what it would change. */
export interface Asked {
  /** What it is counted as. */
  readonly kind: string;
  /** For the journal: whom it is about. */
  readonly about: Readonly<Record<string, unknown>>;
  readonly writes: readonly Pending[];
  readonly send: () => Promise<Answer | null>;
  /** Statuses that say it was done. */
  readonly done: readonly number[];
  /** Whether a status that says it was not done is right. */
  readonly mayRefuse?: (answer: Answer) => boolean;
  /** Learns from the answer that says it was done. Only of a request with a key: without an answer it may be sent again. */
  readonly take?: (answer: Answer) => void;
}

/** Sends requests, and notes what is asked before it is sent and what is answered after it came. */
export class Asker {
  readonly tallies = new Map<string, Tally>();
  /** Requests with a key, of which nobody knows what came. */
  #unanswered: Asked[] = [];

  constructor(private readonly journal: Journal) {}

  /**
   * @returns the answer that says it was done, else null
   * @throws Violation for an answer that nothing explains
   */
  async ask(asked: Asked): Promise<Answer | null> {
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
   * Sends requests of which nobody knows what came once more, with their keys: whether they were done or not, they are
   * done once then. Of the others nobody will ever know.
   *
   * @param isWanted says so of each
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
