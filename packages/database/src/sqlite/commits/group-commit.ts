import type { Database } from 'better-sqlite3';
import type { Transaction } from 'kysely';
import type { Tables } from '../../store/tables.ts';
import { isBusy, translateErrors } from '../connection/errors.ts';
import type { LogSync } from './log-sync.ts';

/** Maximum number of pieces of work in a transaction, during which other processes wait for the write lock. */
export const MAX_GROUP = 16;

/** Milliseconds after which a transaction takes no more work, so that other processes get the write lock. */
const MAX_GROUP_TIME = 20;

type Work<T> = (transaction: Transaction<Tables>) => Promise<T>;

interface Entry {
  readonly since: number;
  attempt(transaction: Transaction<Tables>): Promise<Done>;
  fail(error: unknown): void;
}

type Attempt = (transaction: Transaction<Tables>, entry: Entry) => Promise<Done>;

const attemptBare: Attempt = (transaction, entry) => entry.attempt(transaction);

interface Done {
  /** Called once the work is durable. */
  deliver(): void;
  /** Called if the commit or its sync failed, so that the work's outcome is unknown. */
  fail(error: unknown): void;
}

/**
 * Commits all work that arrives while the disk is busy in one transaction, with one sync of the log. The promise of
 * each piece of work resolves only after a sync that started after the commit.
 *
 * Each piece is atomic. If one throws, the transaction is repeated with a savepoint for each piece. The first attempt
 * avoids savepoints, because within a savepoint SQLite copies each page before changing it. If the transaction as a
 * whole fails, each piece is repeated in its own transaction.
 */
export class GroupCommit {
  readonly #waiting: Entry[] = [];
  readonly #undelivered = new Set<Promise<void>>();
  #running: Promise<void> | null = null;

  /**
   * @param writer the connection of the transactions, which doesn't sync its commits
   * @param lockTimeout milliseconds that a piece of work waits for the write lock, including its time in the queue
   * @param transact runs work in a transaction; waits for the lock for at most `lockTimeout`, and may run the work
   *   again
   */
  constructor(
    private readonly writer: Database,
    private readonly log: LogSync,
    private readonly lockTimeout: number,
    private readonly transact: <T>(work: Work<T>, lockTimeout: number) => Promise<T>,
    private readonly groupTime: number = MAX_GROUP_TIME,
  ) {}

  run<T>(work: Work<T>): Promise<T> {
    return new Promise<T>((resolve, fail) => {
      const attempt = async (transaction: Transaction<Tables>) => {
        const result = await work(transaction);
        return { deliver: () => resolve(result), fail };
      };
      this.#waiting.push({ since: performance.now(), attempt, fail });
      this.#running ??= this.#runAll();
    });
  }

  /** Resolves when the queue is empty and all results were delivered. */
  async settled(): Promise<void> {
    await this.#running;
    await Promise.all(this.#undelivered);
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Work that arrives before the current sync ends joins the group, because a sync for it would have to wait
      // anyway.
      if (this.#waiting.length < MAX_GROUP) await this.log.idle();
      // Callers that are resumed in this turn of the event loop can still join the group.
      await new Promise((resolve) => setImmediate(resolve));
      await this.#runGroup(this.#waiting.splice(0, MAX_GROUP));
    }
    this.#running = null;
  }

  /**
   * Runs as many entries as one transaction has time for, and puts the others back in the queue. Never throws. If the
   * lock isn't free in time, only entries that have waited for `lockTimeout` fail; the others are queued again.
   */
  async #runGroup(group: readonly Entry[], attempt: Attempt = attemptBare): Promise<void> {
    try {
      const left = Math.min(...group.map((entry) => this.#timeLeft(entry)));
      const done = await this.transact(
        (transaction) => this.#attemptEach(transaction, group, attempt),
        Math.max(0, left),
      );
      this.#deliver(done);
      this.#waiting.unshift(...group.slice(done.length));
    } catch (error) {
      if (isBusy(error)) {
        const late = new Set(group.filter((entry) => this.#timeLeft(entry) <= 0));
        this.#waiting.unshift(...group.filter((entry) => !late.has(entry)));
        for (const { fail } of late) fail(error);
      } else if (group.length === 1) for (const { fail } of group) fail(error);
      else if (attempt === attemptBare) await this.#runGroup(group, (...piece) => this.#attemptApart(...piece));
      else for (const entry of group) await this.#runGroup([entry]);
    }
  }

  #deliver(done: readonly Done[]): void {
    const delivery = this.log
      .sync()
      .then(
        () => done.forEach(({ deliver }) => void deliver()),
        (error: unknown) => done.forEach(({ fail }) => void fail(error)),
      )
      .finally(() => this.#undelivered.delete(delivery));
    this.#undelivered.add(delivery);
  }

  #timeLeft({ since }: Entry): number {
    return since + this.lockTimeout - performance.now();
  }

  /** Attempts at least one entry, and more until the transaction's time is up. */
  async #attemptEach(
    transaction: Transaction<Tables>,
    group: readonly Entry[],
    attempt: Attempt,
  ): Promise<readonly Done[]> {
    const done: Done[] = [];
    const deadline = performance.now() + this.groupTime;
    for (const entry of group) {
      done.push(await attempt(transaction, entry));
      if (performance.now() >= deadline) break;
    }
    return done;
  }

  async #attemptApart(transaction: Transaction<Tables>, entry: Entry): Promise<Done> {
    this.#execute('savepoint piece');
    try {
      return await entry.attempt(transaction);
    } catch (error) {
      // SQLite has rolled back the whole transaction (disk full, I/O error).
      if (!this.writer.inTransaction) throw error;
      this.#execute('rollback to piece');
      return { deliver: () => entry.fail(error), fail: entry.fail };
    } finally {
      if (this.writer.inTransaction) this.#execute('release piece');
    }
  }

  #execute(sql: string): void {
    translateErrors(() => this.writer.exec(sql));
  }
}
