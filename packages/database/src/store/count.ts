import type { SelectQueryBuilder, StringReference } from 'kysely';
import type { CountTables, Tables } from './tables.ts';

/** How many rows a query that selects nothing yet has. PostgreSQL counts in text, hence `Number`. */
export async function countOf<From extends keyof Tables>(
  query: SelectQueryBuilder<Tables, From, object>,
): Promise<number> {
  const { total } = await query.select((eb) => eb.fn.countAll().as('total')).executeTakeFirstOrThrow();
  return Number(total);
}

/** What a column of counts adds up to; nothing adds up to 0. PostgreSQL sums in text. */
export async function sumOf<From extends keyof CountTables>(
  counts: SelectQueryBuilder<Tables, From, object>,
  column: StringReference<Tables, From>,
): Promise<number> {
  const { total } = await counts.select((eb) => eb.fn.sum(column).as('total')).executeTakeFirstOrThrow();
  return Number(total ?? 0);
}
