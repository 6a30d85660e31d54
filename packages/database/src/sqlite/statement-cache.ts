import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { LRUCache } from 'lru-cache';
import { translateErrors } from './errors.ts';

/** Statements kept prepared per connection; those of lists with unusual filters come and go. */
const MAX_STATEMENTS = 256;

/**
 * A database for Kysely's driver, which would prepare every statement again: here statements are prepared once and kept
 * by their SQL text, the least recently used one dropped. Errors are translated.
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
