import type { CompiledQuery, DialectAdapter } from 'kysely';
import type { Queries } from './dialect.ts';
import type { Tables } from './tables.ts';

/**
 * Makes a function that inserts a row within a transaction. Its statement is compiled once per database, as Kysely's
 * compilation takes longer than SQLite's insert. Every row must have the same columns.
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
    await queries.executeQuery({ ...insert.query, parameters });
  };
}
