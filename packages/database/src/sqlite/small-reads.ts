import type { Uuid } from '@postshelf/domain';
import type { Database } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { translateErrors } from './errors.ts';

/** Cached answers, of a row or a few each: a few megabytes at most. */
const MAX_ANSWERS = 1000;

interface Answer {
  readonly version: unknown;
  readonly rows: readonly unknown[];
}

/**
 * Queries for a row or a few, answered synchronously on a connection of their own. Answers are cached as long as
 * `pragma data_version` shows that nobody has committed since they were read
 * (sqlite.org/pragma.html#pragma_data_version). The pragma is asked before every answer, so none is older than a
 * query's would be; it costs less than half of a read.
 */
export class SmallReads {
  readonly #database: Database;
  /** Changes once anybody has committed anything. */
  readonly dataVersion: () => unknown;
  readonly #answers = new LRUCache<string, Answer>({ max: MAX_ANSWERS });
  #queries = 0;

  /** @param database a connection that nobody writes with, as it would not see its own commits */
  constructor(database: Database) {
    this.#database = database;
    const pragma = database.prepare('pragma data_version').pluck();
    this.dataVersion = () => translateErrors(() => pragma.get());
  }

  /** Prepares a query. Its rows are shared by all callers, and must not be changed. It throws Refusal `unavailable`. */
  prepare<Row>(sql: string): (...parameters: readonly Uuid[]) => readonly Row[] {
    this.#queries += 1;
    const query = this.#queries;
    const prepare = () => this.#database.prepare<Uuid[], Row>(sql);
    let statement: ReturnType<typeof prepare> | undefined;
    return (...parameters) =>
      translateErrors(() => {
        // Asked before the read: after a commit in between, the next caller reads again.
        const version = this.dataVersion();
        const key = `${query} ${parameters.join(' ')}`;
        const known = this.#answers.get(key);
        if (known && known.version === version) return known.rows as readonly Row[];
        // Prepared late, as the table may be made after this call.
        statement ??= prepare();
        const rows = statement.all(...parameters);
        this.#answers.set(key, { version, rows });
        return rows;
      });
  }
}
