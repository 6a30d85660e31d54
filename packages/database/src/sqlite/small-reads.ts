import type { Uuid } from '@postshelf/domain';
import type { Database } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { translateErrors } from './errors.ts';

/** Answers that are remembered, of a row or a few each: a few megabytes at most. */
const MAX_ANSWERS = 1000;

interface Answer {
  readonly version: unknown;
  readonly rows: readonly unknown[];
}

/**
 * Queries for a row or a few, answered at once on a connection of their own. An answer is given again as long as `pragma
 * data_version` says that nobody has committed anything since it was read (sqlite.org/pragma.html#pragma_data_version):
 * that costs less than half of reading it anew, and is asked before every answer, so none is older than a query would be.
 */
export class SmallReads {
  readonly #database: Database;
  /** Another one than before once anybody has committed anything. */
  readonly dataVersion: () => unknown;
  readonly #answers = new LRUCache<string, Answer>({ max: MAX_ANSWERS });
  #queries = 0;

  /** @param database a connection that nobody writes by: it would not see its own commits */
  constructor(database: Database) {
    this.#database = database;
    const pragma = database.prepare('pragma data_version').pluck();
    this.dataVersion = () => translateErrors(() => pragma.get());
  }

  /** Prepares a query. What it answers is shared by all who ask, and must not be changed. It throws Refusal `unavailable`. */
  prepare<Row>(sql: string): (...parameters: readonly Uuid[]) => readonly Row[] {
    this.#queries += 1;
    const query = this.#queries;
    const prepare = () => this.#database.prepare<Uuid[], Row>(sql);
    let statement: ReturnType<typeof prepare> | undefined;
    return (...parameters) =>
      translateErrors(() => {
        // Before it is read: what is committed in between is asked for once more by the next.
        const version = this.dataVersion();
        const key = `${query} ${parameters.join(' ')}`;
        const known = this.#answers.get(key);
        if (known && known.version === version) return known.rows as readonly Row[];
        // The table may be made after the query.
        statement ??= prepare();
        const rows = statement.all(...parameters);
        this.#answers.set(key, { version, rows });
        return rows;
      });
  }
}
