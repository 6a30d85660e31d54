import { Refusal } from '@postshelf/domain';
import { sql } from 'kysely';
import type { RowAccess } from '../store/database.ts';
import type { Queries } from '../store/dialect.ts';
import { UnusableDatabase } from '../store/errors.ts';
import { withAncestors } from './ancestors.ts';
import type { CopiedTable } from './plan.ts';
import { keyOf, type Row } from './row.ts';
import { BATCH, tuple } from './walk.ts';

/**
 * Inserts a batch with the rows that it references, in one transaction. Existing rows are left unchanged.
 *
 * @returns how many were inserted
 * @throws UnusableDatabase when the target rejects them
 */
export async function putRows(
  source: Queries,
  target: RowAccess,
  table: CopiedTable,
  batch: readonly Row[],
): Promise<number> {
  const rows = await withAncestors(source, table, batch);
  try {
    return await target.write(async (transaction) => {
      let put = 0;
      for (let start = 0; start < rows.length; start += BATCH) {
        put += await insert(transaction, table, rows.slice(start, start + BATCH));
      }
      return put;
    });
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const first = batch[0] ? keyOf(table, batch[0]).join(', ') : '';
    throw new UnusableDatabase(`${target.place} refuses the rows of ${table.name} from ${first} on: ${reason}`, {
      cause: error,
    });
  }
}

async function insert(target: Queries, table: CopiedTable, rows: readonly Row[]): Promise<number> {
  const columns = Object.keys(rows[0] ?? {});
  const names = tuple(columns.map((column) => sql`${sql.ref(column)}`));
  const values = sql.join(rows.map((row) => tuple(columns.map((column) => sql`${row[column]}`))));
  const key = tuple(table.key.map((column) => sql`${sql.ref(column)}`));
  const query = sql`insert into ${sql.table(table.name)} ${names} values ${values} on conflict ${key} do nothing`;
  return Number((await query.execute(target)).numAffectedRows ?? 0);
}
