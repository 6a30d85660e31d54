import { sql } from 'kysely';
import type { Queries } from '../store/dialect.ts';
import type { CopiedTable } from './plan.ts';
import { type Row, withoutLocal } from './row.ts';

/**
 * Adds the rows that the batch references, directly or indirectly, if they would only be in a later batch. Orders each
 * row after the one that it references.
 */
export async function withAncestors(
  source: Queries,
  table: CopiedTable,
  batch: readonly Row[],
): Promise<readonly Row[]> {
  const { name, within } = table;
  const [column = ''] = table.key;
  if (within === undefined) return batch;
  const rows = new Map(batch.map((row) => [`${row[column]}`, row]));
  const last = `${batch.at(-1)?.[column]}`;
  const missing = (of: readonly Row[]): string[] => {
    const named = of.flatMap((row) => (row[within] === null ? [] : `${row[within]}`));
    return [...new Set(named)].filter((id) => id > last && !rows.has(id));
  };
  for (let wanted = missing(batch); wanted.length > 0; ) {
    const query = sql<Row>`select * from ${sql.table(name)} where ${sql.ref(column)} in (${sql.join(wanted)})`;
    const found = (await query.execute(source)).rows.map((row) => withoutLocal(table, row));
    for (const row of found) rows.set(`${row[column]}`, row);
    wanted = missing(found);
  }
  return ancestorsFirst(rows, within);
}

/**
 * Orders rows after those that they reference. A cycle, which a damaged database may have, is cut at any of its rows.
 */
function ancestorsFirst(rows: ReadonlyMap<string, Row>, within: string): readonly Row[] {
  const ordered = new Set<Row>();
  for (const first of rows.values()) {
    const line: Row[] = [];
    for (let row: Row | undefined = first; row !== undefined; row = rows.get(`${row[within]}`)) {
      if (ordered.has(row) || line.includes(row)) break;
      line.push(row);
    }
    for (const row of line.reverse()) ordered.add(row);
  }
  return [...ordered];
}
