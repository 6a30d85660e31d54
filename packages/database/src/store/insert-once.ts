import type { CompiledQuery, DialectAdapter, InsertQueryBuilder, InsertResult } from 'kysely';
import type { Queries } from './dialect.ts';
import type { Tables } from './tables.ts';

type Insert<Table extends keyof Tables> = InsertQueryBuilder<Tables, Table, InsertResult>;

/**
 * Returns a function that inserts rows with a statement compiled once, because compiling takes longer than SQLite's
 * insert. Every row must have the same columns.
 *
 * @param complete adds the clause for conflicts, which must not contain parameters
 */
export function insertOnce<Table extends 'media' | 'previews' | 'jobs' | 'job_turns'>(
  table: Table,
  complete: (insert: Insert<Table>) => Insert<Table> = (insert) => insert,
): (queries: Queries, row: Tables[Table]) => Promise<void> {
  type Columns = readonly (keyof Tables[Table])[];
  const known = new WeakMap<DialectAdapter, { readonly columns: Columns; readonly query: CompiledQuery }>();
  return async (queries, row) => {
    const { adapter } = queries.getExecutor();
    let insert = known.get(adapter);
    if (!insert) {
      const into: unknown = queries.insertInto<'media' | 'previews' | 'jobs' | 'job_turns'>(table).values(row);
      insert = {
        columns: Object.keys(row) as (keyof Tables[Table])[],
        query: complete(into as Insert<Table>).compile(),
      };
      known.set(adapter, insert);
    }
    const parameters = insert.columns.map((column) => row[column]);
    await queries.executeQuery({ ...insert.query, parameters });
  };
}
