import type { Database, Statement } from 'better-sqlite3';
import { translateErrors } from './errors.ts';
import type { WalIndex } from './wal-index.ts';

/**
 * Small reads, each at once. SQLite takes and gives back file locks for every read by itself, which costs more than to
 * find a row; those of one turn of the event loop share one moment of the database and its locks.
 *
 * No read is behind what its reader can know of: whoever has learnt of something (by a request that came, by another
 * query of this process) calls {@link renew}, and the next read looks whether anything was committed meanwhile.
 */
export class SharedReads {
  readonly #database: Database;
  readonly #index: Pick<WalIndex, 'hasChanged'>;
  readonly #begin: () => unknown;
  readonly #end: () => unknown;
  #isEndDue = false;
  #mayBeOld = true;
  #version = 0;
  /** The version of the moment that is held. */
  #held = 0;

  /**
   * @param database a connection for nothing else
   * @param index of the same database
   */
  constructor(database: Database, index: Pick<WalIndex, 'hasChanged'>) {
    this.#database = database;
    this.#index = index;
    const [begin, rollback] = [database.prepare('begin deferred'), database.prepare('rollback')];
    this.#begin = () => translateErrors(() => begin.run());
    // Nothing was written, and unlike a commit this never has to wait.
    this.#end = () => translateErrors(() => rollback.run());
  }

  /** A query that is kept prepared, from its first run on, which throws Refusal `unavailable`. */
  prepare<Row>(sql: string): (...parameters: readonly string[]) => readonly Row[] {
    let prepared: Statement | undefined;
    return (...parameters) => {
      this.#hold();
      try {
        return translateErrors(() => {
          prepared ??= this.#database.prepare(sql);
          return prepared.all(parameters) as Row[];
        });
      } catch (error) {
        this.#letGo();
        throw error;
      }
    };
  }

  /** Reads from now on see all that was committed before now. Costs nothing until the next of them. */
  renew(): void {
    this.#mayBeOld = true;
  }

  /**
   * A number that a commit changes, anybody's: what was read of the database since it was this one is what a small read
   * would find now. Throws Refusal `unavailable`.
   */
  version(): number {
    if (!this.#mayBeOld) return this.#version;
    if (this.#index.hasChanged()) this.#version += 1;
    this.#mayBeOld = false;
    if (!this.#isEndDue) this.#endWithTurn();
    return this.#version;
  }

  /** Begins a moment, unless there is one of this version. */
  #hold(): void {
    // Looked at before a moment begins, so that what is committed in between makes it look old, and not new.
    const version = this.version();
    if (version !== this.#held) this.#letGo();
    if (this.#database.inTransaction) return;
    this.#begin();
    this.#held = version;
  }

  /** A moment that is held for longer would keep SQLite from beginning its log anew. */
  #endWithTurn(): void {
    this.#isEndDue = true;
    setImmediate(() => {
      this.#isEndDue = false;
      this.#mayBeOld = true;
      this.#letGo();
    });
  }

  #letGo(): void {
    if (this.#database.inTransaction) this.#end();
  }
}
