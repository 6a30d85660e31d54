import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { LRUCache } from 'lru-cache';
import { translateErrors } from './errors.ts';

/** The most statements that a connection keeps prepared; those of lists with unusual filters are evicted. */
const MAX_STATEMENTS = 256;

/**
 * Wraps the database for Kysely's driver, which would otherwise prepare every statement anew: prepared statements are
 * cached by their SQL text, evicting the least recently used. Errors are translated.
 */
export class StatementCache implements SqliteDatabase {
  readonly #database: SqliteDatabase;
  readonly #statements: LRUCache<string, SqliteStatement>;

  constructor(database: SqliteDatabase, limit: number = MAX_STATEMENTS) {
    this.#database = database;
    this.#statements = new LRUCache({ max: limit, memoMethod: (sql) => this.#prepare(sql) });
  }

  prepare(sql: string): SqliteStatement {
    return this.#statements.memo(sql);
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepare(sql: string): SqliteStatement {
    const statement = translateErrors(() => this.#database.prepare(sql));
    return {
      reader: statement.reader,
      all: (parameters) => translateErrors(() => statement.all(parameters)),
      run: (parameters) => translateErrors(() => statement.run(parameters)),
      iterate: (parameters) => translateErrors(() => statement.iterate(parameters)),
    };
  }
}
