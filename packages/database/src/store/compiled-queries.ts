import type { Uuid } from '@postshelf/domain';
import type { Compilable, CompiledQuery, DialectAdapter } from 'kysely';
import { runWithNext } from './run-with-next.ts';
import type { Queries, Store } from './store.ts';
import type { Tables } from './tables.ts';

/** Stands in for a parameter while a query is compiled. */
export const PARAMETER = '' as never;

/**
 * A query for a hot path, of a row or a few: compiled once, where Kysely compiles anew on each `execute`. The parameters
 * are given to each run in the order in which {@link PARAMETER} stands in the query. Where the database answers at once, the
 * answer is no promise.
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
 * Inserts a row of a table within a transaction, by a statement that is compiled once for each database: Kysely takes longer to
 * compile one than SQLite to run it. The table's rows all have the same columns.
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
