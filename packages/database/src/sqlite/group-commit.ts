import type { Database } from 'better-sqlite3';
import type { Transaction } from 'kysely';
import type { Tables } from '../store/tables.ts';
import { isBusy, translateErrors } from './errors.ts';

/** Pieces of work in one transaction: while it lasts, other processes wait for the write lock. */
export const MAX_GROUP = 16;

/** Milliseconds after which no further piece is begun in a transaction: the process stands still in a commit, for as long as what it writes. */
const MAX_GROUP_TIME = 20;

type Work<T> = (transaction: Transaction<Tables>) => Promise<T>;

/** Work that waits, and how its caller hears of it. */
interface Entry {
  /** Since when, by `performance.now`. */
  readonly since: number;
  /** Does it within a transaction. Gives what tells the caller, once that is durable. */
  attempt(transaction: Transaction<Tables>): Promise<() => void>;
  fail(error: unknown): void;
}

/**
 * Commits all work that comes at one time in one transaction: a commit waits for the disk, and the process with it, so
 * one wait serves all of it. A piece of work resolves only after the commit that it is part of.
 *
 * Each piece is all or nothing: it has a savepoint, so one that throws undoes nothing but itself. Where the transaction
 * as a whole fails, in its commit (a deferred foreign key) or because SQLite undid it, each piece is done anew, in one of
 * its own, and fails or not by itself.
 */
export class GroupCommit {
  readonly #waiting: Entry[] = [];
  #running: Promise<void> | null = null;

  /**
   * @param writer the connection of the transactions
   * @param lockTimeout milliseconds that a piece of work waits for the write lock, its time in the queue included
   * @param transact runs work in a transaction of its own, and waits so many milliseconds for the write lock; may do it
   * again from its beginning
   */
  constructor(
    private readonly writer: Database,
    private readonly lockTimeout: number,
    private readonly transact: <T>(work: Work<T>, lockTimeout: number) => Promise<T>,
    private readonly groupTime: number = MAX_GROUP_TIME,
  ) {}

  /** Resolves when what the work has written is durable. Throws what it throws, and what the database does. */
  run<T>(work: Work<T>): Promise<T> {
    return new Promise<T>((resolve, fail) => {
      const attempt = async (transaction: Transaction<Tables>) => {
        const result = await work(transaction);
        return () => resolve(result);
      };
      this.#waiting.push({ since: performance.now(), attempt, fail });
      this.#running ??= this.#runAll();
    });
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Who was woken by the same turn of the event loop, a wait for the disk mostly, joins.
      await new Promise((resolve) => setImmediate(resolve));
      await this.#runGroup(this.#waiting.splice(0, MAX_GROUP));
    }
    this.#running = null;
  }

  /** Does the first ones, and has the others wait for the next. Never throws. Without the lock in time it fails who has waited for long enough; the others go on waiting. */
  async #runGroup(group: readonly Entry[]): Promise<void> {
    try {
      const left = Math.min(...group.map((entry) => this.#timeLeft(entry)));
      const told = await this.transact((transaction) => this.#attemptEach(transaction, group), Math.max(0, left));
      for (const tell of told) tell();
      this.#waiting.unshift(...group.slice(told.length));
    } catch (error) {
      if (isBusy(error)) {
        this.#waiting.unshift(...group.filter((entry) => this.#timeLeft(entry) > 0));
        for (const entry of group) if (this.#timeLeft(entry) <= 0) entry.fail(error);
      } else if (group.length === 1) for (const { fail } of group) fail(error);
      else for (const entry of group) await this.#runGroup([entry]);
    }
  }

  #timeLeft({ since }: Entry): number {
    return since + this.lockTimeout - performance.now();
  }

  /** As many of them as a transaction has time for, the first ones, and at least one. */
  async #attemptEach(transaction: Transaction<Tables>, group: readonly Entry[]): Promise<readonly (() => void)[]> {
    const [only, ...others] = group;
    if (only && others.length === 0) return [await only.attempt(transaction)];
    const told: (() => void)[] = [];
    const deadline = performance.now() + this.groupTime;
    for (const entry of group) {
      told.push(await this.#attemptOne(transaction, entry));
      if (performance.now() >= deadline) break;
    }
    return told;
  }

  async #attemptOne(transaction: Transaction<Tables>, entry: Entry): Promise<() => void> {
    this.#execute('savepoint piece');
    try {
      return await entry.attempt(transaction);
    } catch (error) {
      // SQLite itself has undone everything (disk full, I/O error): so have all the others to begin anew.
      if (!this.writer.inTransaction) throw error;
      this.#execute('rollback to piece');
      return () => entry.fail(error);
    } finally {
      if (this.writer.inTransaction) this.#execute('release piece');
    }
  }

  #execute(sql: string): void {
    translateErrors(() => this.writer.exec(sql));
  }
}
