import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeMachine } from '@postshelf/harness';
import { type Figure, reaches } from './benchmark.ts';

/** The results of one benchmark, as stored in a JSON file. */
export interface Report {
  readonly benchmark: string;
  readonly about: string;
  readonly command: string;
  /** When the benchmark ran (RFC 3339). */
  readonly date: string;
  readonly machine: string;
  readonly figures: readonly Figure[];
}

export function reportOf(benchmark: string, about: string, figures: readonly Figure[]): Report {
  const command = `npm run bench -- ${benchmark}`;
  return { benchmark, about, command, date: new Date().toISOString(), machine: describeMachine(), figures };
}

/** Formats the figures in Markdown: a line that says how, when and where they were measured, and one or two tables. */
export function tableOf({ command, date, machine, figures }: Omit<Report, 'about'>): string {
  const grid = gridOf(figures);
  const others = figures.filter((figure) => !grid?.figures.has(figure));
  const tables = [...(grid ? [grid.lines] : []), ...(others.length > 0 ? [listOf(others)] : [])];
  const made = `\`${command}\` on ${date.slice(0, 10)}; ${machine}`;
  return [made, '', ...tables.flatMap((lines) => [...lines, ''])].join('\n');
}

/** Returns a table with a line for each figure. A column that no figure fills is omitted. */
function listOf(figures: readonly Figure[]): readonly string[] {
  const table = figures.map(({ what, spread, ...figure }) => [
    what,
    `${round(figure.value)} ${figure.unit}`,
    spread ? `${round(spread[0])} – ${round(spread[1])}` : '',
    goalOf({ what, ...figure }),
  ]);
  const heads = ['what', 'median', 'rounds', 'goal'];
  const filled = heads.map((_, column) => table.some((row) => row[column] !== ''));
  const line = (cells: readonly string[]) => `| ${cells.filter((_, column) => filled[column]).join(' | ')} |`;
  return [heads, heads.map(() => '---'), ...table].map(line);
}

function goalOf(figure: Figure): string {
  const { goal } = figure;
  return goal ? `${goal.kind} ${goal.value}${reaches(figure) ? '' : ' (missed)'}` : '';
}

/** Minimum number of figures for a table with several columns. Fewer figures are as easy to read in one column. */
const MIN_GRID = 6;
const MAX_COLUMNS = 6;
/** Minimum share of a grid's cells that have a figure. */
const MIN_FILLED = 0.6;

interface Grid {
  readonly lines: readonly string[];
  readonly figures: ReadonlySet<Figure>;
}

/**
 * Returns one table with the medians of the figures that have a place in it. Returns null if there are too few figures,
 * too many columns, or too many empty cells.
 */
function gridOf(figures: readonly Figure[]): Grid | null {
  const cells = cellsOf(figures);
  const columns = [...new Set(cells.map(({ column }) => column))];
  const rows = [...new Set(cells.map(({ row }) => row))];
  if (cells.length < MIN_GRID || columns.length > MAX_COLUMNS) return null;
  if (cells.length < columns.length * rows.length * MIN_FILLED) return null;
  const hasGoals = cells.some(({ figure }) => figure.goal);
  const heads = ['medians', ...columns, ...(hasGoals ? ['goal'] : [])];
  const lines = rows.map((row) => {
    const own = columns.map((column) => cells.find((cell) => cell.column === column && cell.row === row)?.figure);
    return `| ${[row, ...mediansOf(own, hasGoals)].join(' | ')} |`;
  });
  return {
    lines: [`| ${heads.join(' | ')} |`, `|${' --- |'.repeat(heads.length)}`, ...lines],
    figures: new Set(cells.map(({ figure }) => figure)),
  };
}

interface Cell {
  readonly column: string;
  readonly row: string;
  readonly figure: Figure;
}

/**
 * Places the figures whose names have the form `CASE: THING`, for each thing that several cases have. The columns are
 * the cases or the things, whichever are fewer.
 */
function cellsOf(figures: readonly Figure[]): readonly Cell[] {
  const named = figures.flatMap((figure) => {
    const at = figure.what.indexOf(': ');
    return at === -1 ? [] : [{ figure, case: figure.what.slice(0, at), thing: figure.what.slice(at + 2) }];
  });
  const shared = named.filter(({ thing }) => named.filter((other) => other.thing === thing).length > 1);
  const [cases, things] = [new Set(shared.map((each) => each.case)), new Set(shared.map(({ thing }) => thing))];
  return shared.map(({ figure, thing, ...each }) =>
    cases.size <= things.size ? { column: each.case, row: thing, figure } : { column: thing, row: each.case, figure },
  );
}

/**
 * Returns the cells of a row after its name. A goal that all figures of the row share is in the last cell. If the
 * goals differ, each is next to its median.
 */
function mediansOf(figures: readonly (Figure | undefined)[], hasGoals: boolean): readonly string[] {
  const goals = new Set(figures.flatMap((figure) => (figure?.goal ? [goalOf(figure)] : [])));
  const [commonGoal = ''] = goals.size === 1 ? goals : [];
  const medians = figures.map((figure) => {
    if (!figure) return '';
    const ownGoal = figure.goal && goals.size > 1 ? `(${goalOf(figure)})` : '';
    return [round(figure.value), figure.unit, ownGoal].join(' ').trim();
  });
  return hasGoals ? [...medians, commonGoal] : medians;
}

/** Rounds to four significant digits, for readers. */
function round(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 4 });
}

/**
 * Updates the tables of a page with new figures. The table of a report is between its markers (`<!-- figures: name -->`
 * and `<!-- end -->`), and keeps its selection of rows. If there are no rows yet, all figures of the report are
 * inserted. Reports without markers in the page are skipped.
 *
 * @throws Error that names a row of the page for which the report has no figure
 */
export function fillPage(page: string, reports: readonly Report[]): string {
  return reports.reduce((filled, report) => {
    const [begin, end] = [`<!-- figures: ${report.benchmark} -->\n`, '<!-- end -->'];
    if (!filled.includes(begin)) return filled;
    const from = filled.indexOf(begin) + begin.length;
    const to = filled.indexOf(end, from);
    const figures = shownOf(report, filled.slice(from, to));
    return `${filled.slice(0, from)}\n${tableOf({ ...report, figures })}\n${filled.slice(to)}`;
  }, page);
}

/**
 * Returns the figures that the tables in a part of the page show; all figures if it has no rows. A row starts with the
 * figure's name. In a table of medians, the row and the column each name one half: the case or the thing.
 */
function shownOf({ benchmark, figures }: Report, part: string): readonly Figure[] {
  const tables = part.split(/\n\n+/).filter((block) => block.startsWith('|'));
  const shown = tables.flatMap((table) => {
    const [head = [], , ...rows] = table.split('\n').map(textsOf);
    const columns = head[0] === 'medians' ? head.slice(1) : [];
    return rows.map(([row = '']) => [row, ...columns.flatMap((column) => [`${column}: ${row}`, `${row}: ${column}`])]);
  });
  const missing = shown.find((names) => !figures.some(({ what }) => names.includes(what)));
  if (missing) throw new Error(`${benchmark} has no figure "${missing[0]}"`);
  return shown.length === 0 ? figures : figures.filter(({ what }) => shown.some((names) => names.includes(what)));
}

/** Returns the texts of the cells in a line of a Markdown table. */
const textsOf = (line: string): readonly string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Fills the page with the reports in a folder, and returns their names. */
export async function writeDocs(page: string, results: string): Promise<readonly string[]> {
  const files = (await readdir(results)).filter((name) => name.endsWith('.json'));
  const read = async (name: string) => JSON.parse(await readFile(join(results, name), 'utf8')) as Report;
  const reports = await Promise.all(files.map(read));
  await writeFile(page, fillPage(await readFile(page, 'utf8'), reports));
  return reports.map(({ benchmark }) => benchmark);
}
