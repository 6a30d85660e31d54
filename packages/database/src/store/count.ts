import { type SelectQueryBuilder, type StringReference, sql } from 'kysely';
import type { Queries } from './dialect.ts';
import type { CountTables, Tables } from './tables.ts';

/** Counts rows; PostgreSQL's driver returns counts as text. */
export async function countOf<From extends keyof Tables>(
  query: SelectQueryBuilder<Tables, From, object>,
): Promise<number> {
  const { total } = await query.select((eb) => eb.fn.countAll().as('total')).executeTakeFirstOrThrow();
  return Number(total);
}

/** Sums a column; 0 if there are no rows. PostgreSQL's driver returns sums as text. */
export async function sumOf<From extends keyof CountTables>(
  counts: SelectQueryBuilder<Tables, From, object>,
  column: StringReference<Tables, From>,
): Promise<number> {
  const { total } = await counts.select((eb) => eb.fn.sum(column).as('total')).executeTakeFirstOrThrow();
  return Number(total ?? 0);
}

/** Maximum number of rows to read outside a scan: about a millisecond of work. */
export const FEW_ROWS = 5000;

/** Counts rows; null if there are more than {@link FEW_ROWS}. */
export async function countOfFew<From extends keyof Tables>(
  queries: Queries,
  query: SelectQueryBuilder<Tables, From, object>,
): Promise<number | null> {
  return sumOfSome(queries, query.select(sql.lit(1).as('number')).limit(FEW_ROWS + 1));
}

/** Sums a column; null if there are more than {@link FEW_ROWS} rows. */
export async function sumOfFew<From extends keyof CountTables>(
  queries: Queries,
  counts: SelectQueryBuilder<Tables, From, object>,
  column: StringReference<Tables, From>,
): Promise<number | null> {
  return sumOfSome(queries, counts.select((eb) => eb.ref(column).as('number')).limit(FEW_ROWS + 1));
}

async function sumOfSome(
  queries: Queries,
  some: SelectQueryBuilder<Tables, never, { number: unknown }>,
): Promise<number | null> {
  const { rows, total } = await queries
    .selectFrom(some.as('some'))
    .select((eb) => [eb.fn.countAll().as('rows'), eb.fn.sum<number | string | null>('some.number').as('total')])
    .executeTakeFirstOrThrow();
  return Number(rows) > FEW_ROWS ? null : Number(total ?? 0);
}
