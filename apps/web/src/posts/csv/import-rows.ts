import { root } from '../../service/root.ts';
import type { Row } from './read-csv.ts';
import { type PostLine, type Reading, rowReader } from './read-row.ts';
import { sendLines } from './send-lines.ts';

/** A row that wasn't imported, by its number in a spreadsheet. */
interface RowError {
  readonly row: number;
  readonly message: string;
}

export interface Imported {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly errors: readonly RowError[];
}

/** Number of lines per request; the service reports at most a hundred rejected lines. */
const BATCH = 100;

/**
 * Imports rows in batches. Repeating the import or a batch is harmless: the service updates posts with known external
 * ids.
 */
export async function importRows(
  workspace: string,
  rows: readonly Row[],
  reading: Reading,
  onProgress: (rows: number) => void,
): Promise<Imported> {
  const total = { created: 0, updated: 0, unchanged: 0 };
  const errors: RowError[] = [];
  const read = rowReader(reading);
  for (let at = 0; at < rows.length; at += BATCH) {
    const lines: { readonly row: number; readonly line: PostLine }[] = [];
    for (const row of rows.slice(at, at + BATCH)) {
      const line = read(row);
      if (typeof line === 'string') errors.push({ row: row.number, message: line });
      else lines.push({ row: row.number, line });
    }
    if (lines.length > 0) {
      const report = await sendLines(
        `${root.href}v1/workspaces/${workspace}/posts/import`,
        lines.map(({ line }) => line),
      );
      for (const name of ['created', 'updated', 'unchanged'] as const) total[name] += report[name];
      for (const { line, message } of report.rejections) errors.push({ row: lines[line - 1]?.row ?? 0, message });
    }
    onProgress(Math.min(at + BATCH, rows.length));
  }
  return { ...total, errors };
}
