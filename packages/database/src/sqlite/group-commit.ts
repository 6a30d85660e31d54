import type { Database } from 'better-sqlite3';
import type { Transaction } from 'kysely';
import type { Tables } from '../store/tables.ts';
import { isBusy, translateErrors } from './errors.ts';
import type { LogSync } from './log-sync.ts';

/** Pieces of work in one transaction: other processes wait for the write lock meanwhile. */
export const MAX_GROUP = 16;

/** Milliseconds after which no further piece is begun in a transaction, so that others have their turn. */
const MAX_GROUP_TIME = 20;

type Work<T> = (transaction: Transaction<Tables>) => Promise<T>;

/** Work that waits, and how its caller gets the result. */
interface Entry {
  /** Since when, by `performance.now`. */
  readonly since: number;
  /** Does it within a transaction. */
  attempt(transaction: Transaction<Tables>): Promise<Done>;
  fail(error: unknown): void;
}

type Attempt = (transaction: Transaction<Tables>, entry: Entry) => Promise<Done>;

const attemptBare: Attempt = (transaction, entry) => entry.attempt(transaction);

/** Work that was done, and is not durable yet. */
interface Done {
  /** Called once it is durable. */
  tell(): void;
  /** Called when it isn't known whether it was committed. */
  fail(error: unknown): void;
}

/**
 * Commits all work that arrives while the disk is busy in one transaction, and lets one sync of the log serve all of
 * it. A piece of work resolves only after a sync that began after its commit; meanwhile the process serves others and
 * does the next pieces.
 *
 * Each piece is all or nothing. At first no piece has a savepoint, since within one SQLite copies each page before
 * changing it. If a piece throws, everything is rolled back and repeated with a savepoint for each piece, so that it
 * undoes only itself. If the transaction as a whole fails, in its commit (a deferred foreign key) or because SQLite undid
 * it, each piece is repeated in a transaction of its own and fails or succeeds by itself.
 */
export class GroupCommit {
  readonly #waiting: Entry[] = [];
  readonly #untold = new Set<Promise<void>>();
  #running: Promise<void> | null = null;

  /**
   * @param writer the connection of the transactions, which syncs nothing by itself
   * @param log of the same database
   * @param lockTimeout milliseconds that a piece of work waits for the write lock, its time in the queue included
   * @param transact runs work in a transaction of its own, and waits so many milliseconds for the write lock; may do it
   * again from its beginning
   */
  constructor(
    private readonly writer: Database,
    private readonly log: LogSync,
    private readonly lockTimeout: number,
    private readonly transact: <T>(work: Work<T>, lockTimeout: number) => Promise<T>,
    private readonly groupTime: number = MAX_GROUP_TIME,
  ) {}

  /** Resolves when what the work has written is durable. Throws what it throws, and what the database does. */
  run<T>(work: Work<T>): Promise<T> {
    return new Promise<T>((resolve, fail) => {
      const attempt = async (transaction: Transaction<Tables>) => {
        const result = await work(transaction);
        return { tell: () => resolve(result), fail };
      };
      this.#waiting.push({ since: performance.now(), attempt, fail });
      this.#running ??= this.#runAll();
    });
  }

  /** Resolves when nothing waits any more, and all results were delivered. */
  async settled(): Promise<void> {
    await this.#running;
    await Promise.all(this.#untold);
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Work that arrives until the disk is done joins, as a sync of its own would have to wait for the disk anyway.
      if (this.#waiting.length < MAX_GROUP) await this.log.idle();
      // Callers that were woken in the same turn of the event loop join, too.
      await new Promise((resolve) => setImmediate(resolve));
      await this.#runGroup(this.#waiting.splice(0, MAX_GROUP));
    }
    this.#running = null;
  }

  /**
   * Does as many as one transaction has time for, and queues the others again. Never throws. Without the lock in time,
   * only work that has waited long enough fails.
   */
  async #runGroup(group: readonly Entry[], attempt: Attempt = attemptBare): Promise<void> {
    try {
      const left = Math.min(...group.map((entry) => this.#timeLeft(entry)));
      const done = await this.transact(
        (transaction) => this.#attemptEach(transaction, group, attempt),
        Math.max(0, left),
      );
      this.#tell(done);
      this.#waiting.unshift(...group.slice(done.length));
    } catch (error) {
      if (isBusy(error)) {
        this.#waiting.unshift(...group.filter((entry) => this.#timeLeft(entry) > 0));
        for (const entry of group) if (this.#timeLeft(entry) <= 0) entry.fail(error);
      } else if (group.length === 1) for (const { fail } of group) fail(error);
      else if (attempt === attemptBare) await this.#runGroup(group, (...piece) => this.#attemptApart(...piece));
      else for (const entry of group) await this.#runGroup([entry]);
    }
  }

  /** Delivers results once the log is synced; others don't wait for that. */
  #tell(done: readonly Done[]): void {
    const telling = this.log
      .sync()
      .then(
        () => done.forEach(({ tell }) => void tell()),
        (error: unknown) => done.forEach(({ fail }) => void fail(error)),
      )
      .finally(() => this.#untold.delete(telling));
    this.#untold.add(telling);
  }

  #timeLeft({ since }: Entry): number {
    return since + this.lockTimeout - performance.now();
  }

  /** Runs the first ones, as many as a transaction has time for, and at least one. */
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

  /** One that throws is undone by itself. */
  async #attemptApart(transaction: Transaction<Tables>, entry: Entry): Promise<Done> {
    this.#execute('savepoint piece');
    try {
      return await entry.attempt(transaction);
    } catch (error) {
      // SQLite has undone the whole transaction (disk full, I/O error), so all others have to begin again, too.
      if (!this.writer.inTransaction) throw error;
      this.#execute('rollback to piece');
      return { tell: () => entry.fail(error), fail: entry.fail };
    } finally {
      if (this.writer.inTransaction) this.#execute('release piece');
    }
  }

  #execute(sql: string): void {
    translateErrors(() => this.writer.exec(sql));
  }
}
