import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outcomeOf } from '@postshelf/testing/outcomes';
import Papa from 'papaparse';
import { type Found, Report, stateOf } from '../../src/commands/import/report.ts';

const WORKSPACE = '019f5b0e-7a10-7c55-8a31-4b7e9d2f6c80';
const HASH = 'a3f5c1d20b7e4968'.repeat(4);

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postshelf-report-'));
  file = join(folder, 'report.csv');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (): Promise<Report> => Report.open(file, WORKSPACE);
const found = (path: string): Found => ({ path, size: path.length, modifiedAt: 1_564_531_200_000 + path.length });
const idOf = (n: number): string => `019f5b0e-7a10-7c55-8a31-${n.toString(16).padStart(12, '0')}`;

const add = (report: Report, path: string, n: number, status: 'imported' | 'sending' | 'refused' = 'imported') =>
  report.add({ path, ...stateOf(found(path)), media_id: idOf(n), status, reason: '', sha256: HASH });

const rows = (): string[][] => Papa.parse<string[]>(readFileSync(file, 'utf8'), { skipEmptyLines: true }).data.slice(1);

test('every path can be read back from a report of 5,000 rows, whatever characters the path has', async () => {
  const odd = ['"', ',', "'", '\n', '\r\n', '=', '-', '\u202e', 'é', '🐈', ' '];
  const paths = Array.from(
    { length: 5000 },
    (_, n) => `${odd[n % odd.length]}${'x'.repeat(n % 97)}${odd[n % 7]}/${n}.jpg`,
  );
  const report = await open();
  await Promise.all(paths.map((path, n) => add(report, path, n)));
  await report.end();
  const again = await open();
  expect(paths.filter((path) => !again.isSettled(found(path)))).toEqual([]);
  expect(again.isSettled({ ...found(paths[0] ?? ''), size: 0 })).toBe(false);
  expect(paths.filter((_, n) => !again.hasItem(idOf(n)))).toEqual([]);
  await again.end();
  expect(rows()).toHaveLength(paths.length);
  expect(rows().map(([path = '']) => path.replace(/^'/, ''))).toEqual(paths);
});

test('only the last row of a path counts, and the next run resumes interrupted and retries refused files', async () => {
  const report = await open();
  await add(report, 'a', 1, 'sending');
  await add(report, 'a', 2);
  await add(report, 'b', 3, 'sending');
  await add(report, 'c', 4, 'refused');
  await report.end();
  expect(rows().map(([path, , status]) => [path, status])).toEqual([
    ['a', 'imported'],
    ['b', 'sending'],
    ['c', 'refused'],
  ]);
  const next = await open();
  expect(next.isSettled(found('a'))).toBe(true);
  expect(next.interrupted(found('b'))).toEqual({ uploadId: idOf(3) });
  expect(next.interrupted({ ...found('b'), size: 0 })).toBeNull();
  await next.end();
  expect(rows().map(([path]) => path)).toEqual(['a', 'b']);
});

test('a write that was cut off at any byte loses only its own row', async () => {
  const report = await open();
  await add(report, 'first, "one"', 1);
  await report.end();
  const whole = readFileSync(file);
  const second = await open();
  await add(second, 'second\n"row"', 2);
  await second.end();
  const all = readFileSync(file);
  for (let end = whole.length; end < all.length; end += 1) {
    writeFileSync(file, all.subarray(0, end));
    const cut = await open();
    expect(cut.isSettled(found('first, "one"'))).toBe(true);
    // The second row counts as complete without its line end, but not with half of its line end.
    expect(cut.isSettled(found('second\n"row"'))).toBe(end === all.length - 2);
    await add(cut, 'third', 3);
    await cut.end();
    expect(rows().at(-1)?.[0]).toBe('third');
  }
});

test('an import fails if another import has replaced its report', async () => {
  const report = await open();
  await add(report, 'a', 1);
  writeFileSync(`${file}.other`, readFileSync(file));
  renameSync(`${file}.other`, file);
  expect(await outcomeOf(report.end())).toThrow('was written by another import in the meantime');
});

test('of eight concurrent imports with the same report, only one succeeds', async () => {
  const first = await open();
  await add(first, 'a', 1);
  await first.end();
  const reports = await Promise.all(Array.from({ length: 8 }, open));
  const last = readFileSync(file);
  for (const report of reports) expect(report.isSettled(found('a'))).toBe(true);
  await Promise.allSettled(reports.map((report, n) => add(report, 'x'.repeat(n), n)));
  const ends: boolean[] = [];
  for (const report of reports)
    ends.push(
      await report.end().then(
        () => true,
        () => false,
      ),
    );
  // Each report replaces the file when it is opened. So only the last report still has its file, and the others fail.
  expect(ends.filter(Boolean)).toHaveLength(1);
  expect(readFileSync(file).subarray(0, last.length).equals(last)).toBe(true);
  expect(readdirSync(folder)).toEqual(['report.csv']);
});

test('drafts that killed runs left behind are removed after an hour', async () => {
  const twoHoursAgo = Date.now() / 1000 - 7200;
  for (const name of ['report.csv.0a1b2c3d.new', 'report.csv.new', 'other.csv.0a1b2c3d.new']) {
    writeFileSync(join(folder, name), 'path\r\n');
    utimesSync(join(folder, name), twoHoursAgo, twoHoursAgo);
  }
  writeFileSync(join(folder, 'report.csv.00000000.new'), 'path\r\n');
  await (await open()).end();
  await (await open()).end();
  expect(readdirSync(folder).sort()).toEqual([
    'other.csv.0a1b2c3d.new',
    'report.csv',
    'report.csv.00000000.new',
    'report.csv.new',
  ]);
});

test('a file that is not a report is refused and left unchanged', async () => {
  for (const text of ['path,media_id\r\n', 'no report', `"${'x'.repeat(3_000_000)}`]) {
    writeFileSync(file, text);
    expect(await outcomeOf(open())).toThrow('is not the report of an import');
    expect(readFileSync(file, 'utf8')).toBe(text);
  }
  writeFileSync(file, '');
  await (await open()).end();
});
