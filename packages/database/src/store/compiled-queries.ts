import type { Uuid } from '@postshelf/domain';
import type { Compilable, CompiledQuery, DialectAdapter } from 'kysely';
import type { Queries, Store } from './store.ts';
import type { Tables } from './tables.ts';

/** Stands for a parameter's value while a query is compiled. */
export const PARAMETER = '' as never;

/**
 * Compiles a query for a row or a few on a hot path once, since Kysely compiles on each `execute`. Parameters are given
 * in the order in which {@link PARAMETER} occurs in the query. If the database answers synchronously, the result isn't
 * a promise.
 */
export function compileOnce<Row>(
  { reads, readSync, readBatched }: Pick<Store, 'reads' | 'readSync' | 'readBatched'>,
  query: Compilable<Row>,
): (...parameters: readonly Uuid[]) => readonly Row[] | Promise<readonly Row[]> {
  const compiled = query.compile();
  if (readSync) return readSync<Row>(compiled.sql);
  if (readBatched) return readBatched(compiled);
  return async (...parameters) => (await reads.executeQuery<Row>({ ...compiled, parameters })).rows;
}

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
