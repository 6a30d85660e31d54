import type { Uuid } from '@postshelf/domain';
import type { Database } from 'better-sqlite3';
import { translateErrors } from './errors.ts';

/**
 * Prepares a query for a row or a few, which is answered synchronously: by Kysely it would queue for the connection,
 * which costs as much as the query itself.
 *
 * @param database a connection without transactions, so that every answer is current
 */
export function prepareLookup<Row>(database: Database, sql: string): (...ids: readonly Uuid[]) => readonly Row[] {
  const prepare = () => database.prepare<Uuid[], Row>(sql);
  let statement: ReturnType<typeof prepare> | undefined;
  return (...ids) =>
    translateErrors(() => {
      // Prepared at the first use, as a migration may create the table later.
      statement ??= prepare();
      return statement.all(...ids);
    });
}
