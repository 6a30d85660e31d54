import type { Queries } from '../store/dialect.ts';
import type { CopiedTable } from './plan.ts';
import { compareKeys, keyOf, type Row } from './row.ts';
import { walk } from './walk.ts';

/** The rows with the same key on both sides; undefined on a side that lacks the row. */
export type Pair =
  | { readonly source: Row; readonly target: Row }
  | { readonly source: Row; readonly target: undefined }
  | { readonly source: undefined; readonly target: Row };

/**
 * Reads a table of two databases in the order of its key, and pairs rows with equal keys.
 *
 * @param end whether to read to the last row of both sides, or to stop after the target's last row
 */
export async function* sideBySide(
  source: Queries,
  target: Queries,
  table: CopiedTable,
  end: 'of both' | 'of the target',
): AsyncGenerator<Pair> {
  const left = walk(source, table);
  const right = walk(target, table);
  try {
    let [a, b] = [await nextOf(left), await nextOf(right)];
    while (b !== undefined || (end === 'of both' && a !== undefined)) {
      const order = a === undefined ? 1 : b === undefined ? -1 : compareKeys(keyOf(table, a), keyOf(table, b));
      if (a !== undefined && order < 0) yield { source: a, target: undefined };
      else if (b !== undefined && order > 0) yield { source: undefined, target: b };
      else if (a !== undefined && b !== undefined) yield { source: a, target: b };
      if (order <= 0) a = await nextOf(left);
      if (order >= 0) b = await nextOf(right);
    }
  } finally {
    await Promise.all([left.return(undefined), right.return(undefined)]);
  }
}

const nextOf = async (rows: AsyncGenerator<Row>): Promise<Row | undefined> => {
  const next = await rows.next();
  return next.done ? undefined : next.value;
};
