import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeMachine } from '@postshelf/harness';
import { type Figure, reaches } from './benchmark.ts';

/** What stands in the JSON file beside the table. */
export interface Report {
  readonly benchmark: string;
  readonly about: string;
  readonly command: string;
  /** RFC 3339. */
  readonly date: string;
  readonly machine: string;
  readonly figures: readonly Figure[];
}

export function reportOf(benchmark: string, about: string, figures: readonly Figure[]): Report {
  const command = `npm run bench -- ${benchmark}`;
  return { benchmark, about, command, date: new Date().toISOString(), machine: describeMachine(), figures };
}

/** The report in Markdown, as docs/benchmarks.md shows it below a heading: what was done, where and when, and the table. */
export function tableOf({ about, command, date, machine, figures }: Report): string {
  const rows = figures.map((figure) => {
    const { what, value, unit, spread, goal } = figure;
    const between = spread ? `${round(spread[0])} – ${round(spread[1])}` : '';
    const reached = reaches(figure);
    const wanted = goal ? `${goal.kind} ${goal.value}${reached ? '' : ' (missed)'}` : '';
    return `| ${what} | ${round(value)} ${unit} | ${between} | ${wanted} |`;
  });
  return [
    about,
    '',
    `\`${command}\` on ${date.slice(0, 10)}; ${machine}`,
    '',
    '| what | median | rounds | goal |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** Four significant digits, for people. */
function round(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 4 });
}

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
