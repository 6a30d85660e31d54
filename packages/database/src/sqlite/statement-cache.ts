import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { translateErrors } from './errors.ts';

/** Statements kept prepared per connection; those of lists with unusual filters come and go. */
const MAX_STATEMENTS = 256;

export interface CacheOptions {
  /** Called whenever a statement has run, well or not, or begins to be iterated. */
  readonly onUse?: () => void;
  readonly limit?: number;
}

/**
 * A database for Kysely's driver, which prepares every statement anew: here a statement is prepared once and kept
 * by its SQL text, the least recently used one dropped. Errors leave translated.
 */
export class StatementCache implements SqliteDatabase {
  readonly #database: SqliteDatabase;
  readonly #limit: number;
  readonly #onUse: () => void;
  /** Least recently used first. */
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase, { onUse = () => undefined, limit = MAX_STATEMENTS }: CacheOptions = {}) {
    this.#database = database;
    this.#onUse = onUse;
    this.#limit = limit;
  }

  prepare(sql: string): SqliteStatement {
    const statement = this.#statements.get(sql) ?? this.#prepare(sql);
    this.#statements.delete(sql);
    this.#statements.set(sql, statement);
    const [oldest] = this.#statements.keys();
    if (this.#statements.size > this.#limit && oldest !== undefined) this.#statements.delete(oldest);
    return statement;
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepare(sql: string): SqliteStatement {
    const statement = translateErrors(() => this.#database.prepare(sql));
    const told = <T>(action: () => T): T => {
      try {
        return translateErrors(action);
      } finally {
        this.#onUse();
      }
    };
    return {
      reader: statement.reader,
      all: (parameters) => told(() => statement.all(parameters)),
      run: (parameters) => told(() => statement.run(parameters)),
      iterate: (parameters) => told(() => statement.iterate(parameters)),
    };
  }
}
