import type { Uuid } from '@postshelf/domain';
import type { Compilable, CompiledQuery, DialectAdapter } from 'kysely';
import { runWithNext } from './run-with-next.ts';
import type { Queries, Store } from './store.ts';
import type { Tables } from './tables.ts';

/** Placeholder of a parameter while a query is compiled. */
export const PARAMETER = '' as never;

/**
 * A query for a hot path, of a row or a few: compiled once, where Kysely compiles on each `execute`. Parameters are
 * given in the order in which {@link PARAMETER} stands in the query. Where the database answers synchronously, the
 * result is no promise.
 */
export function compileOnce<Row>(
  { reads, readAtOnce, readTogether }: Pick<Store, 'reads' | 'readAtOnce' | 'readTogether'>,
  query: Compilable<Row>,
): (...parameters: readonly Uuid[]) => readonly Row[] | Promise<readonly Row[]> {
  const compiled = query.compile();
  if (readAtOnce) return readAtOnce<Row>(compiled.sql);
  if (readTogether) return readTogether(compiled);
  return async (...parameters) => (await reads.executeQuery<Row>({ ...compiled, parameters })).rows;
}

/**
 * Inserts a row within a transaction, by a statement that is compiled once for each database, as Kysely's compilation
 * takes longer than SQLite's insert. All rows of the table have the same columns.
 */
export function insertOnce<Table extends 'media' | 'previews'>(
  table: Table,
): (queries: Queries, row: Tables[Table]) => Promise<void> {
  type Columns = readonly (keyof Tables[Table])[];
  const known = new WeakMap<DialectAdapter, { readonly columns: Columns; readonly query: CompiledQuery }>();
  return async (queries, row) => {
    const { adapter } = queries.getExecutor();
    let insert = known.get(adapter);
    if (!insert) {
      insert = {
        columns: Object.keys(row) as (keyof Tables[Table])[],
        query: queries.insertInto<'media' | 'previews'>(table).values(row).compile(),
      };
      known.set(adapter, insert);
    }
    const parameters = insert.columns.map((column) => row[column]);
    await runWithNext(queries, { ...insert.query, parameters });
  };
}
