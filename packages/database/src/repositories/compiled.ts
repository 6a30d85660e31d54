import type { Compilable } from 'kysely';
import type { Store } from './store.ts';

/** Stands in for a parameter while a query is compiled. */
export const PARAMETER = '' as never;

/**
 * A query for a hot path: compiled once, where Kysely compiles anew on each `execute`. The parameters are given to
 * each run in the order in which {@link PARAMETER} stands in the query.
 */
export function compileOnce<Row>(
  { reads, readAtOnce }: Pick<Store, 'reads' | 'readAtOnce'>,
  query: Compilable<Row>,
): (...parameters: readonly string[]) => Promise<readonly Row[]> {
  const compiled = query.compile();
  return async (...parameters) => {
    const run = { ...compiled, parameters };
    return readAtOnce?.<Row>(run) ?? (await reads.executeQuery<Row>(run)).rows;
  };
}
