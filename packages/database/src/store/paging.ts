import type { Rows, Slice } from '@postshelf/domain';
import { type SelectQueryBuilder, type Simplify, sql } from 'kysely';
import { countOf } from './count.ts';
import type { Tables } from './tables.ts';

/** The part of a list that a query has to select. */
export interface Part extends Slice {
  readonly direction: 'asc' | 'desc';
}

/**
 * Reads a slice from the nearer end of the list, because a database steps over all rows before the offset. `read` gets
 * the direction: `desc` is the list's order, `asc` the reverse. Returns the rows in the list's order.
 *
 * @param total number of rows in the whole list
 */
export async function readFromNearerEnd<Row>(
  { offset, limit }: Slice,
  total: number,
  read: (part: Part) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  if (offset >= total) return [];
  const size = Math.min(limit, total - offset);
  const behind = total - offset - size;
  if (offset <= behind) return read({ direction: 'desc', offset, limit: size });
  return (await read({ direction: 'asc', offset: behind, limit: size })).toReversed();
}

/** Reads a slice of rows with {@link readFromNearerEnd}, newest first and ties by id. */
export const readNewestFirst = <Table extends keyof Tables, Row>(
  rows: SelectQueryBuilder<Tables, Table, Row>,
  by: 'created_at' | 'updated_at' | 'trashed_at' | 'at',
  slice: Slice,
  total: number,
) =>
  readFromNearerEnd(slice, total, ({ direction, offset, limit }) =>
    rows.orderBy(sql.ref(by), direction).orderBy(sql.ref('id'), direction).limit(limit).offset(offset).execute(),
  );

/** Returns a page of rows with their total number, newest first and ties by id. */
export async function pageNewestFirst<Table extends keyof Tables, Row, Item>(
  rows: SelectQueryBuilder<Tables, Table, Row>,
  by: 'created_at' | 'at',
  slice: Slice,
  fromRow: (row: Simplify<Row>) => Item,
): Promise<Rows<Item>> {
  const total = await countOf(rows.clearSelect());
  const page = await readNewestFirst(rows, by, slice, total);
  return { items: page.map((row) => fromRow(row)), total };
}
