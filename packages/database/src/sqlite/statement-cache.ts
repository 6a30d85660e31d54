import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { translated } from './errors.ts';

/** Statements kept prepared per connection; those of lists with unusual filters come and go. */
const MAX_STATEMENTS = 256;

/**
 * A database for Kysely's driver, which prepares every statement anew: here a statement is prepared once and kept
 * by its SQL text, the least recently used one dropped. Errors leave translated.
 */
export class StatementCache implements SqliteDatabase {
  readonly #database: SqliteDatabase;
  readonly #limit: number;
  /** Least recently used first. */
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase, limit: number = MAX_STATEMENTS) {
    this.#database = database;
    this.#limit = limit;
  }

  prepare(sql: string): SqliteStatement {
    const statement = this.#statements.get(sql) ?? prepare(this.#database, sql);
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
}

function prepare(database: SqliteDatabase, sql: string): SqliteStatement {
  const statement = translated(() => database.prepare(sql));
  return {
    reader: statement.reader,
    all: (parameters) => translated(() => statement.all(parameters)),
    run: (parameters) => translated(() => statement.run(parameters)),
    iterate: (parameters) => translated(() => statement.iterate(parameters)),
  };
}
