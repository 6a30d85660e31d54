import { type RawBuilder, sql } from 'kysely';
import type { Queries } from '../store/dialect.ts';
import type { CopiedTable } from './plan.ts';
import { keyOf, type Row, type RowKey, withoutLocal } from './row.ts';

export const BATCH = 500;

/** Returns `(first, second)`, with parentheses even for a single part. */
export const tuple = (parts: readonly RawBuilder<unknown>[]): RawBuilder<unknown> => sql`(${sql.join(parts)})`;

const columnsOf = ({ key }: CopiedTable): RawBuilder<unknown>[] => key.map((column) => sql`${sql.ref(column)}`);

/** Reads the rows of a table in the order of its key, in batches, starting after a key. */
export async function* batches(
  queries: Queries,
  table: CopiedTable,
  after: RowKey | null = null,
): AsyncGenerator<readonly Row[]> {
  const columns = columnsOf(table);
  for (let last = after; ; ) {
    const behind = last === null ? sql`` : sql`where ${tuple(columns)} > ${tuple(last.map((value) => sql`${value}`))}`;
    const query = sql<Row>`
      select * from ${sql.table(table.name)} ${behind} order by ${sql.join(columns)} limit ${sql.lit(BATCH)}`;
    const { rows } = await query.execute(queries);
    if (rows.length > 0) yield rows.map((row) => withoutLocal(table, row));
    const end = rows.at(-1);
    if (rows.length < BATCH || end === undefined) return;
    last = keyOf(table, end);
  }
}

export async function* walk(queries: Queries, table: CopiedTable): AsyncGenerator<Row> {
  for await (const rows of batches(queries, table)) yield* rows;
}

export async function countRows(queries: Queries, { name }: CopiedTable): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(queries);
  return Number(rows[0]?.count ?? 0);
}
