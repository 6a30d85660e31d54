import type { CopiedTable } from './plan.ts';

export type Row = Readonly<Record<string, unknown>>;

export type RowKey = readonly (string | number)[];

export function keyOf({ name, key }: CopiedTable, row: Row): RowKey {
  return key.map((column) => {
    const value = row[column];
    if (typeof value === 'string' || typeof value === 'number') return value;
    throw new Error(`The key ${column} of a row of ${name} is neither a text nor a number`);
  });
}

/** Removes the columns that the other database lacks. */
export function withoutLocal({ local = [] }: CopiedTable, row: Row): Row {
  if (local.length === 0) return row;
  return Object.fromEntries(Object.entries(row).filter(([column]) => !local.includes(column)));
}

/** Compares keys as both databases order rows: UUIDs as lower-case text, numbers by value. */
export function compareKeys(a: RowKey, b: RowKey): number {
  for (const [index, value] of a.entries()) {
    const other = b[index];
    if (other === undefined || value > other) return 1;
    if (value < other) return -1;
  }
  return 0;
}

/**
 * Returns the same text for a row of either database: JSON with sorted columns, bytes as `{"base64":"…"}`.
 *
 * @throws TypeError for a value that can't be represented exactly
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
    // -0 becomes 0 in JSON, so 0 and -0 count as equal.
    return JSON.stringify(value);
  }
  if (value instanceof Uint8Array) return `{"base64":"${Buffer.from(value).toString('base64')}"}`;
  throw new TypeError(`The column ${column} holds ${String(value)} (${typeof value}), which can't be copied exactly`);
}
