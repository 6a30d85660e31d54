import type { Uuid } from '@postshelf/domain';
import type { Database } from 'better-sqlite3';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { LRUCache } from 'lru-cache';
import { translateErrors } from './errors.ts';

/** Maximum number of cached statements; statements of lists with unusual filters are evicted. */
const MAX_STATEMENTS = 256;

/** The database for Kysely's driver: caches prepared statements by their text, and translates errors. */
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

/** The versions of a connection's data; see `Durability`. */
interface Versions {
  version(): unknown;
  clearVersion(): void;
}

/** Maximum number of answers that a lookup keeps, each of one or a few rows. */
const MAX_KEPT = 250;

/**
 * Prepares a query for one or a few rows. It is answered synchronously, whereas a query through Kysely would have to
 * queue. Rows are cached until another connection commits (sqlite.org/pragma.html#pragma_data_version). Callers share
 * the rows and must not change them.
 *
 * @param database a connection that never writes, because its own commits wouldn't change the version
 * @param versions the versions of that connection's data
 */
export function prepareLookup<Row>(
  database: Database,
  sql: string,
  versions: Versions,
): (...ids: readonly Uuid[]) => readonly Row[] {
  const prepare = () => database.prepare<Uuid[], Row>(sql);
  let prepared: ReturnType<typeof prepare> | undefined;
  const kept = new LRUCache<string, { readonly version: unknown; readonly rows: readonly Row[] }>({ max: MAX_KEPT });
  return (...ids) =>
    translateErrors(() => {
      const seen = versions.version();
      const key = ids.join();
      const known = kept.get(key);
      if (known && known.version === seen) return known.rows;
      // The query is prepared only when it is first used, because a migration may create the table later.
      prepared ??= prepare();
      const rows = prepared.all(...ids);
      versions.clearVersion();
      // The rows may be newer than `seen`. They can still be cached with this version: if they are newer, the version
      // has changed, so the next caller reads them again.
      kept.set(key, { version: seen, rows });
      return rows;
    });
}
