// Bun's test runner with its counts, which its own summary doesn't give in a form that CI reads.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

export const bun = join(root, 'node_modules', 'bun', 'bin', 'bun.exe');

/** Switches of the acceptance suite: PostgreSQL, a bucket of S3, and two servers that calls take in turn. */
export const DEPLOYMENT = {
  POSTSHELF_TEST_DATABASE: 'postgres',
  POSTSHELF_TEST_STORAGE: 's3',
  POSTSHELF_TEST_SERVERS: '2',
};

/** Lines before a failed test's own that are told again at the end: its error and where it was thrown. */
const LINES_OF_AN_ERROR = 40;

/**
 * Runs the tests below these paths (all when there are none), the report kept as `.reports/{name}.xml`. What the run
 * prints is shown as it comes; with `isBeside` it is kept as `.reports/{name}.log`, as two at once would mix, and shown
 * once the run has ended, without the tests that passed.
 */
export async function bunTest(name, paths, environment = {}, isBeside = false) {
  const report = join(root, '.reports', `${name}.xml`);
  const log = join(root, '.reports', `${name}.log`);
  mkdirSync(dirname(report), { recursive: true });
  rmSync(report, { force: true });
  const output = isBeside ? openSync(log, 'w') : 'inherit';
  const args = ['test', '--timeout', '60000', '--reporter=junit', `--reporter-outfile=${report}`, ...paths];
  const env = { ...process.env, ...environment };
  const child = spawn(bun, args, { cwd: root, stdio: ['ignore', output, output], env });
  const status = await new Promise((resolve, reject) => child.on('exit', resolve).on('error', reject));
  if (isBeside) {
    closeSync(output);
    process.stdout.write(`\n▸ ${name}\n${readFileSync(log, 'utf8').replace(/^\(pass\) .*\n/gm, '')}`);
  }
  const [, head = ''] = /<testsuites([^>]*)>/.exec(readFileSync(report, 'utf8')) ?? [];
  const count = (attribute) => Number(new RegExp(`\\b${attribute}="(\\d+)"`).exec(head)?.[1] ?? Number.NaN);
  const errors = isBeside ? errorsIn(readFileSync(log, 'utf8')) : [];
  return { name, status, tests: count('tests'), failures: count('failures'), skipped: count('skipped'), errors };
}

/** What a log has of each failed test: its file, the error before it, and its name. */
function errorsIn(log) {
  const errors = [];
  let file = '';
  let lines = [];
  // Bun tells the names of all that failed once more at the end.
  for (const line of log.split(/^\d+ tests failed:$/m)[0].split('\n')) {
    if (/^\S+\.test\.ts:$/.test(line)) file = line;
    if (line.startsWith('(fail) ')) errors.push([file, ...lines.slice(-LINES_OF_AN_ERROR), line].join('\n'));
    lines = /^\((pass|fail|skip)\) /.test(line) ? [] : [...lines, line];
  }
  return errors;
}

/** Prints what failed and the closing line, and ends the process; with 0 when every run passed and none was empty. */
export function conclude(...runs) {
  for (const { name, errors } of runs) for (const error of errors) console.log(`\n▸ failed in ${name}: ${error}`);
  const sum = (key) => runs.reduce((total, run) => total + run[key], 0);
  const [tests, failures, skipped] = [sum('tests'), sum('failures'), sum('skipped')];
  console.log(`${tests - failures - skipped} passed, ${failures} failed, ${skipped} skipped`);
  process.exit(runs.every((run) => run.status === 0 && run.tests > 0 && run.failures === 0) ? 0 : 1);
}
