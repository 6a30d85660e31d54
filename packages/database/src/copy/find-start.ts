import type { RowAccess } from '../store/database.ts';
import { UnusableDatabase } from '../store/errors.ts';
import type { CopiedTable } from './plan.ts';
import { canonical, keyOf, type RowKey } from './row.ts';
import { sideBySide } from './side-by-side.ts';

/**
 * Finds where copying a table continues: the key of the last row before the first one that the target lacks; null if it
 * lacks the first.
 *
 * @throws UnusableDatabase when the target has a row that the source lacks or that differs
 */
export async function findStart(
  source: RowAccess,
  target: RowAccess,
  table: CopiedTable,
  onRow: () => void,
): Promise<RowKey | null> {
  let start: RowKey | null = null;
  let isWhole = true;
  for await (const pair of sideBySide(source.reads, target.reads, table, 'of the target')) {
    if (pair.target === undefined) {
      isWhole = false;
      continue;
    }
    const key = keyOf(table, pair.target);
    const refuse = (what: string) =>
      new UnusableDatabase(
        `${target.place} ${what} (${table.name} ${key.join(', ')}): copy to an empty database, or continue a copy whose source has not changed since it was started.`,
      );
    if (pair.source === undefined) throw refuse(`has a row that ${source.place} lacks`);
    if (canonical(pair.source) !== canonical(pair.target)) throw refuse(`has a row that differs from ${source.place}`);
    if (isWhole) start = key;
    onRow();
  }
  return start;
}
