import type { SelectQueryBuilder } from 'kysely';
import type { Tables } from './tables.ts';

/** How many rows a query that selects nothing yet has. PostgreSQL counts in text, hence `Number`. */
export async function countOf<From extends keyof Tables>(
  query: SelectQueryBuilder<Tables, From, object>,
): Promise<number> {
  const { total } = await query.select((eb) => eb.fn.countAll().as('total')).executeTakeFirstOrThrow();
  return Number(total);
}
