import { cpus, totalmem } from 'node:os';
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

function describeMachine(): string {
  const all = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${all.length} × ${all[0]?.model.trim() ?? 'unknown processor'}, ${memory} GB, ${process.platform}, Bun ${Bun.version}`;
}

/** Four significant digits, for people. */
function round(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 4 });
}
