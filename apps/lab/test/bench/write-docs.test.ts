import { expect, test } from 'bun:test';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BENCHMARKS } from '../../src/bench/benchmarks.ts';
import type { Report } from '../../src/bench/report.ts';
import { fillPage, writeDocs } from '../../src/bench/write-docs.ts';

const reportOf = (benchmark: string, value: number): Report => ({
  benchmark,
  about: `About ${benchmark}.`,
  command: `npm run bench -- ${benchmark}`,
  date: '2026-11-21T10:00:00.000Z',
  machine: 'a machine',
  figures: [{ what: 'ours', value, unit: 'ms' }],
});

const PAGE = `# Page

Words.

<!-- figures: one -->
old
<!-- end -->

More words.

<!-- figures: two -->
<!-- end -->
`;

test('the last figures come between their markers, and nothing else changes', () => {
  const filled = fillPage(PAGE, [reportOf('one', 1)]);
  expect(filled).toContain('| ours | 1 ms |');
  expect(filled).not.toContain('old');
  expect(filled.endsWith('More words.\n\n<!-- figures: two -->\n<!-- end -->\n')).toBe(true);
  const again = fillPage(filled, [reportOf('one', 2), reportOf('two', 3)]);
  expect(again).not.toContain('| ours | 1 ms |');
  expect(again.match(/\| ours \| \d ms \|/g)).toEqual(['| ours | 2 ms |', '| ours | 3 ms |']);
});

test('a report that the page has no place for is named', () => {
  expect(() => fillPage(PAGE, [reportOf('three', 1)])).toThrow('no place for three');
});

test('the page in the documentation has a place for every benchmark', async () => {
  const page = join(import.meta.dir, '../../../../docs/benchmarks.md');
  const reports = Object.keys(BENCHMARKS).map((name) => reportOf(name, 1));
  expect(fillPage(await readFile(page, 'utf8'), reports)).toContain('About binary.');
});

test('results are read from their folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postshelf-bench-'));
  try {
    const page = join(folder, 'page.md');
    await writeFile(page, PAGE);
    await writeFile(join(folder, 'two.json'), JSON.stringify(reportOf('two', 7)));
    expect(await writeDocs(page, folder)).toEqual(['two']);
    expect(await readFile(page, 'utf8')).toContain('| ours | 7 ms |');
    expect((await readdir(folder)).toSorted()).toEqual(['page.md', 'two.json']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
