import type { RowProblem, TableCopy } from '@postshelf/database';
import { composeDatabaseMove } from '../../compose/copy.ts';
import { type Config, readCopyUrl } from '../../config/config.ts';
import { EXIT } from '../exit-codes.ts';
import { startMeter } from '../meter.ts';
import { print } from '../print.ts';
import { count } from '../progress.ts';

/** Copies the rows to another database. The process ends with 1 if the databases differ. */
export async function copyRows(config: Config, from: string, to: string, json: boolean): Promise<void> {
  const move = await composeDatabaseMove(readCopyUrl(config, '--from', from), readCopyUrl(config, '--to', to));
  try {
    const meter = startMeter();
    const report = await move
      .copy(({ step, rows, total }) =>
        meter.show({ step, done: rows, total, text: `${count(rows)} of ${count(total)} rows` }),
      )
      .finally(meter.end);
    const { tables, problems, examples } = report;
    const rows = tables.reduce((sum, { source }) => sum + source.rows, 0);
    const copied = tables.reduce((sum, table) => sum + table.copied, 0);
    print(json, { from: move.from, to: move.to, rows, copied, problems, examples, tables }, [
      ...tables.map(describeTable),
      ...examples.map(describeProblem),
      `Copied ${count(copied)} of ${count(rows)} rows from ${move.from} to ${move.to}.`,
      problems === 0
        ? `Both have the same rows: counts and hashes are equal. ${move.from} is read-only from now on.`
        : `${count(problems)} rows differ. Is another process using the target? Copy to an empty database again.`,
    ]);
    if (problems > 0) process.exitCode = EXIT.failed;
  } finally {
    await move.close();
  }
}

function describeTable({ table, copied, source, target }: TableCopy): string {
  const isSame = source.rows === target.rows && source.sha256 === target.sha256;
  const hash = isSame ? source.sha256 : `${source.sha256}, on the target ${target.sha256}`;
  const rows = source.rows === target.rows ? count(source.rows) : `${count(source.rows)}/${count(target.rows)}`;
  return `${table.padEnd(20)} ${rows.padStart(12)} rows, ${count(copied)} copied, SHA-256 ${hash}`;
}

const describeProblem = ({ table, key, problem }: RowProblem): string => `${table} ${key.join(', ')}: ${problem}`;
