import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BENCHMARKS } from './benchmarks.ts';
import { reportOf, tableOf, writeDocs } from './report.ts';

const RESULTS = join(import.meta.dir, '../../results/bench');
const PAGE = join(import.meta.dir, '../../../../docs/benchmarks.md');

/**
 * `npm run bench -- [name…]`: runs the named benchmarks, or all of them, one after the other.
 *
 * `--write-docs` runs no benchmark: it updates the tables in docs/benchmarks.md with each benchmark's latest results.
 *
 * `--beside FOLDER` compares `http`, `uploads`, `imports` and `postgres` with another checkout instead of a bare
 * server, and stores no results. The packages of the other checkout must be installed.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'write-docs': { type: 'boolean', default: false }, beside: { type: 'string' } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown.length > 0) {
  process.stderr.write(`No benchmark ${unknown.join(', ')}. There are: ${Object.keys(BENCHMARKS).join(', ')}.\n`);
  process.exit(1);
}
await mkdir(RESULTS, { recursive: true });
if (values['write-docs']) {
  const written = await writeDocs(PAGE, RESULTS);
  process.stdout.write(`docs/benchmarks.md has the last figures of: ${written.join(', ') || 'none'}\n`);
} else {
  for (const [name, benchmark] of Object.entries(BENCHMARKS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const figures = await benchmark.run((line) => process.stderr.write(`${name}: ${line}\n`), values.beside ?? null);
    // If nothing was measured, the previous results are kept.
    if (figures.length === 0) continue;
    const report = reportOf(name, benchmark.about, figures);
    if (values.beside === undefined)
      await writeFile(join(RESULTS, `${name}.json`), `${JSON.stringify(report, null, 2)}\n`);
    process.stdout.write(`## ${name}\n\n${benchmark.about}\n\n${tableOf(report)}\n`);
  }
}
