import type { Uuid } from '@postshelf/domain';
import type { Compilable } from 'kysely';
import type { Store } from './store.ts';

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
