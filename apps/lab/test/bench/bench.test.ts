import { expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BENCHMARKS } from '../../src/bench/benchmarks.ts';
import { inTurn } from '../../src/bench/in-turn.ts';
import { fillPage, type Report, tableOf } from '../../src/bench/report.ts';

const reportOf = (benchmark: string, value: number): Report => ({
  benchmark,
  about: `About ${benchmark}.`,
  command: `npm run bench -- ${benchmark}`,
  date: '2026-11-21T10:00:00.000Z',
  machine: 'a machine',
  figures: [{ what: 'ours', value, unit: 'ms', spread: [0.4, 0.6], goal: { kind: 'at most', value: 5 } }],
});

test('two compared programs take turns running first, after a warm-up round that is not counted', async () => {
  const calls: string[] = [];
  const answers = { ours: [1, 10, 20, 30], theirs: [1, 20, 80, 40] };
  const side = (name: 'ours' | 'theirs') => async () => {
    calls.push(name);
    return answers[name].shift() ?? Number.NaN;
  };
  const compared = await inTurn(3, side('ours'), side('theirs'));
  expect(calls).toEqual(['ours', 'theirs', 'ours', 'theirs', 'theirs', 'ours', 'ours', 'theirs']);
  expect(compared.ratio).toEqual({ median: 0.5, lowest: 0.25, highest: 0.75 });
});

test('the table marks a missed goal, but not one that is met exactly', () => {
  expect(tableOf(reportOf('thing', 5))).toContain('| ours | 5 ms | 0.4 – 0.6 | at most 5 |');
  expect(tableOf(reportOf('thing', 5.1))).toContain('| at most 5 (missed) |');
});

test('measurements taken in several cases get a column per case, and all others follow in a second table', () => {
  const things = ['a', 'b', 'c', 'd', 'e', 'f'];
  const goal = { kind: 'at most', value: 10 } as const;
  const figures = ['one', 'two'].flatMap((name, n) =>
    things.map((thing, i) => ({
      what: `${name}: ${thing}`,
      value: 6 * n + i,
      unit: 'ms',
      ...(thing === 'f' && { goal }),
    })),
  );
  const alone = { what: 'two: g', value: 7, unit: 'MB' };
  const table = tableOf({ ...reportOf('thing', 5), figures: [...figures, alone] });
  expect(table).toContain('| medians | one | two | goal |\n| --- | --- | --- | --- |\n| a | 0 ms | 6 ms |  |\n');
  expect(table).toContain('| f | 5 ms (at most 10) | 11 ms (at most 10 (missed)) |  |\n\n| what |');
  expect(table).toContain('| what | median |\n| --- | --- |\n| two: g | 7 MB |\n');
});

const pagePath = join(import.meta.dir, '../../../../docs/benchmarks.md');

test('a new report updates the rows on the page, and a row that is missing from the report is an error', () => {
  const page =
    'Text.\n\n<!-- figures: thing -->\n\nmade\n\n| what | median |\n| --- | --- |\n| ours | 1 ms |\n\n<!-- end -->\n';
  const figures = [...reportOf('thing', 5).figures, { what: 'nobody asks', value: 7, unit: 'ms' }];
  const filled = fillPage(page, [{ ...reportOf('thing', 5), figures }, reportOf('not shown', 1)]);
  expect(filled).toContain('`npm run bench -- thing` on 2026-11-21; a machine\n');
  expect(filled.match(/^\| ours .*|nobody asks/gm)).toEqual(['| ours | 5 ms | 0.4 – 0.6 | at most 5 |']);
  expect(fillPage(filled, [reportOf('thing', 5)])).toBe(filled);
  expect(() => fillPage(page.replace('| ours', '| theirs'), [reportOf('thing', 5)])).toThrow('no figure "theirs"');
});

test('each table of docs/benchmarks.md belongs to a benchmark', async () => {
  const page = await readFile(pagePath, 'utf8');
  const names = Array.from(page.matchAll(/^<!-- figures: (.*) -->\n[^<]*^<!-- end -->$/gm), ([, name = '']) => name);
  expect(names).toHaveLength(page.match(/<!-- figures/g)?.length ?? 0);
  expect(names.filter((name) => !Object.hasOwn(BENCHMARKS, name))).toEqual([]);
});
