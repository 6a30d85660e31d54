import { closeSync, openSync, writeSync } from 'node:fs';
import type { Pending } from '../ledger/register.ts';
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
}

/** Sends requests, and notes what is asked before it is sent and what is answered after it came. */
export class Asker {
  readonly tallies = new Map<string, Tally>();

  constructor(private readonly journal: Journal) {}

  /**
   * @returns the answer that says it was done, else null
   * @throws Violation for an answer that nothing explains
   */
  async ask({ kind, about, writes, send, done, mayRefuse }: Asked): Promise<Answer | null> {
    const tally = this.#tallyOf(kind);
    this.journal.note(`asked: ${kind}`, about);
    const answer = await send();
    this.journal.note(`answered: ${kind}`, { ...about, status: answer?.status ?? null });
    if (!answer || answer.status === 503) {
      tally.unanswered += 1;
      return null;
    }
    if (done.includes(answer.status)) {
      for (const write of writes) write.acknowledge();
      tally.acknowledged += 1;
      return answer;
    }
    hold(mayRefuse?.(answer) ?? false, `${kind} was answered with ${answer.status}.`, { ...about, answer });
    for (const write of writes) write.refuse();
    tally.refused += 1;
    return null;
  }

  #tallyOf(kind: string): Tally {
    const found = this.tallies.get(kind) ?? { acknowledged: 0, refused: 0, unanswered: 0 };
    this.tallies.set(kind, found);
    return found;
  }
}
