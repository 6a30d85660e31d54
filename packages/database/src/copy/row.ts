import type { CopiedTable } from './plan.ts';

/** A row as either driver gives it. */
export type Row = Readonly<Record<string, unknown>>;

/** The values of a row's primary key, in the order of {@link CopiedTable.key}. */
export type RowKey = readonly (string | number)[];

export function keyOf({ name, key }: CopiedTable, row: Row): RowKey {
  return key.map((column) => {
    const value = row[column];
    if (typeof value === 'string' || typeof value === 'number') return value;
    throw new Error(`The key ${column} of a row of ${name} is no text and no number`);
  });
}

/** A row without the columns that only its database has. */
export function withoutLocal({ local = [] }: CopiedTable, row: Row): Row {
  if (local.length === 0) return row;
  return Object.fromEntries(Object.entries(row).filter(([column]) => !local.includes(column)));
}

/** The order in which both databases give rows: UUIDs in their canonical text by code, numbers by value. */
export function compareKeys(a: RowKey, b: RowKey): number {
  for (const [index, value] of a.entries()) {
    const other = b[index];
    if (other === undefined || value > other) return 1;
    if (value < other) return -1;
  }
  return 0;
}

/**
 * A row as a text that is the same in either database: a JSON object with its columns in the order of their names, and
 * bytes, which JSON lacks, as `{"base64": …}`. Rows have the same text only if all their values are equal.
 *
 * @throws Error for a value that has no exact text
 */
export function canonical(row: Row): string {
  const columns = Object.keys(row).sort();
  return `{${columns.map((column) => `${JSON.stringify(column)}:${canonicalValue(row[column], column)}`).join(',')}}`;
}

function canonicalValue(value: unknown, column: string): string {
  if (value === null || typeof value === 'string') return JSON.stringify(value);
  if (
    typeof value === 'number' &&
    Number.isFinite(value) &&
    (!Number.isInteger(value) || Number.isSafeInteger(value))
  ) {
    // JSON can't tell -0 from 0.
    return JSON.stringify(value);
  }
  if (value instanceof Uint8Array) return `{"base64":"${Buffer.from(value).toString('base64')}"}`;
  throw new TypeError(`The column ${column} holds ${String(value)} (${typeof value}), which can't be copied exactly`);
}
