import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeMachine } from '@postshelf/harness';
import { type Figure, reaches } from './benchmark.ts';

/** The JSON file beside the table. */
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

/** The report in Markdown for docs/benchmarks.md: what was measured, where and when, and the table. */
export function tableOf({ about, command, date, machine, figures }: Report): string {
  const grid = gridOf(figures);
  const others = figures.filter((figure) => !grid?.has(figure));
  const tables = [...(grid ? [[...grid.rows]] : []), ...(others.length > 0 ? [rowsOf(others)] : [])];
  const made = `\`${command}\` on ${date.slice(0, 10)}; ${machine}`;
  return [about, '', made, '', ...tables.flatMap((rows) => [...rows, ''])].join('\n');
}

/** A line for each figure. */
const rowsOf = (figures: readonly Figure[]): string[] => [
  '| what | median | rounds | goal |',
  '| --- | --- | --- | --- |',
  ...figures.map(({ what, spread, ...figure }) => {
    const between = spread ? `${round(spread[0])} – ${round(spread[1])}` : '';
    return `| ${what} | ${round(figure.value)} ${figure.unit} | ${between} | ${goalOf({ what, ...figure })} |`;
  }),
];

function goalOf(figure: Figure): string {
  const { goal } = figure;
  return goal ? `${goal.kind} ${goal.value}${reaches(figure) ? '' : ' (missed)'}` : '';
}

/** Fewer figures are as easy to read in one column. */
const MIN_GRID = 12;
const MAX_COLUMNS = 6;

/**
 * The figures of the same things in several cases (`CASE: THING`) as one table of medians, with the cases or the things
 * across, whichever are fewer; null where most of it would be empty.
 */
function gridOf(figures: readonly Figure[]): { readonly rows: readonly string[]; has(figure: Figure): boolean } | null {
  const labelled = figures.flatMap((figure) => {
    const at = figure.what.indexOf(': ');
    return at === -1 ? [] : [{ figure, case: figure.what.slice(0, at), thing: figure.what.slice(at + 2) }];
  });
  const shared = labelled.filter(({ thing }) => labelled.filter((other) => other.thing === thing).length > 1);
  const [cases, things] = [new Set(shared.map((each) => each.case)), new Set(shared.map(({ thing }) => thing))];
  const [across, down] = cases.size <= things.size ? [cases, things] : [things, cases];
  if (shared.length < MIN_GRID || across.size > MAX_COLUMNS || shared.length < cases.size * things.size * 0.6)
    return null;
  const hasGoals = shared.some(({ figure }) => figure.goal);
  const rows = [...down].map((row) => {
    const own = [...across].map((column) =>
      shared.find(
        (each) => (across === cases ? [each.case, each.thing] : [each.thing, each.case]).join() === `${column},${row}`,
      ),
    );
    const goals = new Set(own.flatMap((each) => (each?.figure.goal ? [goalOf(each.figure)] : [])));
    const cells = own.map((each) => {
      if (!each) return '';
      const { value, unit } = each.figure;
      const isTold = each.figure.goal && goals.size > 1;
      return [round(value), unit, isTold ? `(${goalOf(each.figure)})` : ''].join(' ').trim();
    });
    return `| ${[row, ...cells, ...(hasGoals ? [goals.size === 1 ? [...goals][0] : ''] : [])].join(' | ')} |`;
  });
  const heads = ['medians', ...across, ...(hasGoals ? ['goal'] : [])];
  return {
    rows: [`| ${heads.join(' | ')} |`, `|${' --- |'.repeat(heads.length)}`, ...rows],
    has: (figure) => shared.some((each) => each.figure === figure),
  };
}

/** Four significant digits, for people. */
function round(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 4 });
}

/**
 * Puts the reports into the page, each between its markers (`<!-- figures: name -->` and `<!-- end -->`); the text around
 * them stays, and so do the figures of benchmarks without a report.
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

/** Fills the page with the last reports of a folder, and returns their names. */
export async function writeDocs(page: string, results: string): Promise<readonly string[]> {
  const files = (await readdir(results)).filter((name) => name.endsWith('.json'));
  const read = async (name: string) => JSON.parse(await readFile(join(results, name), 'utf8')) as Report;
  const reports = await Promise.all(files.map(read));
  await writeFile(page, fillPage(await readFile(page, 'utf8'), reports));
  return reports.map(({ benchmark }) => benchmark);
}
