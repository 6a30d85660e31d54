import type { Compilable } from 'kysely';
import type { Queries } from './store.ts';

/** Stands in for a parameter while a query is compiled. */
export const PARAMETER = '' as never;

/**
 * A query for a hot path: compiled once, where Kysely compiles anew on each `execute`. The parameters are given to
 * each run in the order in which {@link PARAMETER} stands in the query.
 */
export function compileOnce<Row>(
  database: Queries,
  query: Compilable<Row>,
): (...parameters: readonly string[]) => Promise<readonly Row[]> {
  const compiled = query.compile();
  return async (...parameters) => (await database.executeQuery<Row>({ ...compiled, parameters })).rows;
}
