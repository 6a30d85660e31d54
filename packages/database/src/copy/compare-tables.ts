import { createHash } from 'node:crypto';
import type { RowAccess } from '../store/database.ts';
import type { CopiedTable } from './plan.ts';
import { canonical, keyOf, type Row } from './row.ts';
import { sideBySide } from './side-by-side.ts';

export interface TableTally {
  readonly rows: number;
  /** The hash, in lower-case hex, of all rows' canonical texts in the order of the key, each followed by a line end. */
  readonly sha256: string;
}

export interface RowProblem {
  readonly table: string;
  /** The row's primary key. */
  readonly key: readonly (string | number)[];
  readonly problem: 'missing on the target' | 'missing in the source' | 'different';
}

/**
 * Counts and hashes a table on both sides, reading every row.
 *
 * @param onRow called once for each key on either side
 */
export async function compareTables(
  source: RowAccess,
  target: RowAccess,
  table: CopiedTable,
  onProblem: (problem: RowProblem) => void,
  onRow: () => void,
): Promise<{ readonly source: TableTally; readonly target: TableTally }> {
  const [left, right] = [new Tally(), new Tally()];
  for await (const pair of sideBySide(source.reads, target.reads, table, 'of both')) {
    const a = left.add(pair.source);
    const b = right.add(pair.target);
    onRow();
    if (a === b) continue;
    const key = keyOf(table, pair.source ?? pair.target);
    const problem = a === undefined ? 'missing in the source' : b === undefined ? 'missing on the target' : 'different';
    onProblem({ table: table.name, key, problem });
  }
  return { source: left.end(), target: right.end() };
}

class Tally {
  #rows = 0;
  readonly #hash = createHash('sha256');

  add(row: Row | undefined): string | undefined {
    if (row === undefined) return undefined;
    const text = canonical(row);
    this.#rows += 1;
    this.#hash.update(text).update('\n');
    return text;
  }

  end(): TableTally {
    return { rows: this.#rows, sha256: this.#hash.digest('hex') };
  }
}
