import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Report, tableOf } from './report.ts';

/**
 * Puts the reports into the page, each between its markers (`<!-- figures: name -->` and `<!-- end -->`); what people wrote
 * around them stays, and so do figures of benchmarks that have no report.
 *
 * @throws Error naming a report that the page has no place for
 */
export function fillPage(page: string, reports: readonly Report[]): string {
  return reports.reduce((filled, report) => {
    const [begin, end] = [`<!-- figures: ${report.benchmark} -->\n`, '<!-- end -->'];
    const from = filled.indexOf(begin) + begin.length;
    const to = filled.indexOf(end, from);
    if (!filled.includes(begin) || to === -1) throw new Error(`The page has no place for ${report.benchmark}`);
    return `${filled.slice(0, from)}\n${tableOf(report)}\n${filled.slice(to)}`;
  }, page);
}

/** Fills the page with the last reports of a folder. Gives the names of those that were there. */
export async function writeDocs(page: string, results: string): Promise<readonly string[]> {
  const files = (await readdir(results)).filter((name) => name.endsWith('.json'));
  const read = async (name: string) => JSON.parse(await readFile(join(results, name), 'utf8')) as Report;
  const reports = await Promise.all(files.map(read));
  await writeFile(page, fillPage(await readFile(page, 'utf8'), reports));
  return reports.map(({ benchmark }) => benchmark);
}
