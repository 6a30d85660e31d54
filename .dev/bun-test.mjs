// Runs Bun's tests, and reads counts and times from its JUnit report, as its own summary has no line that CI could
// parse.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

export const bun = join(root, 'node_modules', 'bun', 'bin', 'bun.exe');

/** The folder of reports, logs and the last durations of all test files. */
export const reports = join(root, '.reports');

/**
 * The environment in which the acceptance suite uses PostgreSQL, an S3 bucket, and two servers that are called
 * alternately.
 */
export const DEPLOYMENT = {
  POSTSHELF_TEST_DATABASE: 'postgres',
  POSTSHELF_TEST_STORAGE: 's3',
  POSTSHELF_TEST_SERVERS: '2',
};

/**
 * Short runs of compilers written in Go, such as TypeScript's, take a third less processor time without garbage
 * collection.
 */
export const COMPILING = { GOGC: 'off', GOMEMLIMIT: '2GiB' };

/**
 * Delays JavaScriptCore's slowest compiler (FTL), which took a tenth of the tests' processor time, as they run too
 * briefly to benefit.
 */
const RUNNING = { BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '640000' };

/** Lines before that of a failed test that are repeated at the end: the error and its stack. */
const MAX_ERROR_LINES = 40;

/** Number of files listed at the end as the slowest. */
const SLOWEST = 15;

/**
 * Runs the tests below these paths, and writes the report to `.reports/{name}.xml`. The output is shown immediately.
 * With `isConcurrent` it is written to `.reports/{name}.log`, so that the output of two runs doesn't mix, and printed
 * when the run has ended: if a test failed, everything except passed tests, otherwise only skipped tests.
 */
export async function bunTest(name, paths, { environment = {}, isConcurrent = false } = {}) {
  const report = join(reports, `${name}.xml`);
  const log = join(reports, `${name}.log`);
  mkdirSync(reports, { recursive: true });
  rmSync(report, { force: true });
  const output = isConcurrent ? openSync(log, 'w') : 'inherit';
  const args = ['test', '--timeout', '60000', '--reporter=junit', `--reporter-outfile=${report}`, ...paths];
  const env = { ...COMPILING, ...RUNNING, ...process.env, ...environment };
  const started = Date.now();
  const child = spawn(bun, args, { cwd: root, stdio: ['ignore', output, output], env });
  const status = await new Promise((resolve, reject) => child.on('exit', resolve).on('error', reject));
  const run = { name, status, environment, ...readReport(report), errors: [], flaky: [] };
  if (isConcurrent) {
    closeSync(output);
    const printed = readFileSync(log, 'utf8');
    run.errors = errorsIn(printed);
    if (run.errors.length === 0 && !hasPassed(run))
      run.errors.push(printed.split('\n').slice(-MAX_ERROR_LINES).join('\n'));
    const seconds = Math.round((Date.now() - started) / 1000);
    console.log(`\n▸ ${name}: ${run.tests - run.failures - run.skipped} of ${run.tests} passed, ${seconds} s`);
    const lines = printed
      .split('\n')
      .filter((line) => (hasPassed(run) ? /SKIP/.test(line) : !line.startsWith('(pass) ')));
    if (lines.length > 0) console.log(lines.join('\n'));
  }
  return run;
}

/** Most failed files that are run again; if there are more, the failures aren't random. */
const MAX_RETRIED_FILES = 3;

/**
 * Runs the failed files again, each alone while nothing else runs: tests of races and of busy machines sometimes fail
 * when three processes share two cores. Tests that pass then are named by `conclude` in the last lines; they should be
 * fixed, but don't fail the run.
 */
export async function retryFailed(runs) {
  const failed = runs.flatMap((run) => [...failedFiles(run)].map((file) => ({ run, file })));
  if (failed.length > MAX_RETRIED_FILES) return;
  for (const { run, file } of failed) {
    const again = await bunTest(`${run.name}-again`, [`./${file}`], {
      environment: run.environment,
      isConcurrent: true,
    });
    if (!hasPassed(again)) continue;
    const retried = run.errors.filter((error) => error.startsWith(`${file}:`));
    // The last line of an error is that of the test.
    run.flaky.push(...retried.map((error) => `${file}: ${error.split('\n').at(-1).replace('(fail) ', '')}`));
    run.failures -= retried.length;
    if (run.failures === 0) run.status = 0;
  }
}

/** Empty if the run failed for another reason than a test. */
const failedFiles = ({ failures, errors }) =>
  new Set(failures > 0 && failures === errors.length ? errors.map((error) => error.slice(0, error.indexOf(':'))) : []);

/** Whether a run passed. A run without tests fails, as its paths must be wrong. */
const hasPassed = ({ status, tests, failures }) => status === 0 && tests > 0 && failures === 0;

/** The counts of a JUnit report, and the seconds that each file took; zeros if there is no report. */
function readReport(report) {
  const xml = existsSync(report) ? readFileSync(report, 'utf8') : '';
  const [, head = ''] = /<testsuites([^>]*)>/.exec(xml) ?? [];
  const count = (attribute) => Number(new RegExp(`\\b${attribute}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const files = [...xml.matchAll(/^ {2}<testsuite [^>]*?\bfile="([^"]*)"[^>]*?\btime="([\d.]+)"/gm)].map(
    ([, file, seconds]) => ({ file, seconds: Number(seconds) }),
  );
  return { tests: count('tests'), failures: count('failures'), skipped: count('skipped'), files };
}

/** For each failed test in a log: its file, the error before it, and its name. */
function errorsIn(log) {
  const errors = [];
  let file = '';
  let lines = [];
  // At the end, Bun repeats the names of all failed tests.
  for (const line of log.split(/^\d+ tests failed:$/m)[0].split('\n')) {
    if (/^\S+\.test\.ts:$/.test(line)) file = line;
    if (line.startsWith('(fail) ')) errors.push([file, ...lines.slice(-MAX_ERROR_LINES), line].join('\n'));
    lines = /^\((pass|fail|skip)\) /.test(line) ? [] : [...lines, line];
  }
  return errors;
}

/**
 * Prints the slowest files, the failures and the final line with the counts, and exits: with 0 if every run passed and
 * none was empty.
 *
 * @param failed the checks that failed, each with its output
 */
export function conclude(runs, failed = []) {
  const files = runs.flatMap((run) => run.files.map((file) => ({ ...file, run: run.name })));
  const slowest = files.sort((one, other) => other.seconds - one.seconds).slice(0, SLOWEST);
  if (files.length > 1) console.log('\n▸ the slowest files');
  for (const { file, seconds, run } of files.length > 1 ? slowest : [])
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${file} (${run})`);
  for (const { name, errors } of runs) for (const error of errors) console.log(`\n▸ failed in ${name}: ${error}`);
  for (const { what, printed } of failed) console.log(`\n▸ failed: ${what}\n${printed}`);
  for (const { name, flaky } of runs)
    for (const test of flaky)
      console.log(`▸ FLAKY: failed in ${name}, and passed when its file ran again by itself: ${test}`);
  const sum = (key) => runs.reduce((total, run) => total + run[key], 0);
  const [tests, failures, skipped] = [sum('tests'), sum('failures'), sum('skipped')];
  console.log(`${tests - failures - skipped} passed, ${failures} failed, ${skipped} skipped`);
  process.exit(failed.length === 0 && runs.every(hasPassed) ? 0 : 1);
}
