// Bun's test runner with its counts and times, which its own summary doesn't give in a form that CI reads.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

export const bun = join(root, 'node_modules', 'bun', 'bin', 'bun.exe');

/** Where reports, logs and the last times of all files are kept. */
export const reports = join(root, '.reports');

/** Switches of the acceptance suite: PostgreSQL, a bucket of S3, and two servers that calls take in turn. */
export const DEPLOYMENT = {
  POSTSHELF_TEST_DATABASE: 'postgres',
  POSTSHELF_TEST_STORAGE: 's3',
  POSTSHELF_TEST_SERVERS: '2',
};

/** Compilers written in Go, TypeScript's among them, that run for seconds need a third less work when they collect no garbage. */
export const COMPILING = { GOGC: 'off', GOMEMLIMIT: '2GiB' };

/** Tests are called too seldom for what JavaScriptCore compiles as thoroughly as it can (FTL): a tenth of their work went to that. */
const RUNNING = { BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '640000' };

/** Lines before a failed test's own that are told again at the end: its error and where it was thrown. */
const LINES_OF_AN_ERROR = 40;

/** Files that are named at the end as the slowest. */
const SLOWEST = 15;

/**
 * Runs the tests below these paths, the report kept as `.reports/{name}.xml`. What the run prints is shown as it comes;
 * with `isBeside` it is kept as `.reports/{name}.log`, as two at once would mix, and shown once the run has ended: all of
 * it but the tests that passed where one failed, otherwise only what was skipped.
 */
export async function bunTest(name, paths, { environment = {}, isBeside = false } = {}) {
  const report = join(reports, `${name}.xml`);
  const log = join(reports, `${name}.log`);
  mkdirSync(reports, { recursive: true });
  rmSync(report, { force: true });
  const output = isBeside ? openSync(log, 'w') : 'inherit';
  const args = ['test', '--timeout', '60000', '--reporter=junit', `--reporter-outfile=${report}`, ...paths];
  const env = { ...COMPILING, ...RUNNING, ...process.env, ...environment };
  const started = Date.now();
  const child = spawn(bun, args, { cwd: root, stdio: ['ignore', output, output], env });
  const status = await new Promise((resolve, reject) => child.on('exit', resolve).on('error', reject));
  const run = { name, status, environment, ...readReport(report), errors: [], flaky: [] };
  if (isBeside) {
    closeSync(output);
    const printed = readFileSync(log, 'utf8');
    run.errors = errorsIn(printed);
    if (run.errors.length === 0 && !isGood(run))
      run.errors.push(printed.split('\n').slice(-LINES_OF_AN_ERROR).join('\n'));
    const seconds = Math.round((Date.now() - started) / 1000);
    console.log(`\n▸ ${name}: ${run.tests - run.failures - run.skipped} of ${run.tests} passed, ${seconds} s`);
    const lines = printed.split('\n').filter((line) => (isGood(run) ? /SKIP/.test(line) : !line.startsWith('(pass) ')));
    if (lines.length > 0) console.log(lines.join('\n'));
  }
  return run;
}

/** Files that may fail in a run and be tried again: where there are more, it isn't by chance. */
const TRIED_AGAIN = 3;

/**
 * Runs the files that failed once more, each by itself now that nothing else runs: tests of races and of full machines
 * fail now and then where three processes share two cores. What passes then is told by `conclude` as flaky; it is to be
 * mended, but says nothing against the change that was tested.
 */
export async function tryAgain(runs) {
  const failed = runs.flatMap((run) => [...filesThatFailed(run)].map((file) => ({ run, file })));
  if (failed.length > TRIED_AGAIN) return;
  for (const { run, file } of failed) {
    const again = await bunTest(`${run.name}-again`, [`./${file}`], { environment: run.environment, isBeside: true });
    if (!isGood(again)) continue;
    run.flaky.push(file);
    run.failures -= run.errors.filter((error) => error.startsWith(`${file}:`)).length;
    if (run.failures === 0) run.status = 0;
  }
}

/** None where a run failed for another reason than a test. */
const filesThatFailed = ({ failures, errors }) =>
  new Set(failures > 0 && failures === errors.length ? errors.map((error) => error.slice(0, error.indexOf(':'))) : []);

/** A run that passed. One without a test has looked for them in the wrong place. */
const isGood = ({ status, tests, failures }) => status === 0 && tests > 0 && failures === 0;

/** The counts of a JUnit report, and the seconds that each file took; nothing where the runner wrote none. */
function readReport(report) {
  const xml = existsSync(report) ? readFileSync(report, 'utf8') : '';
  const [, head = ''] = /<testsuites([^>]*)>/.exec(xml) ?? [];
  const count = (attribute) => Number(new RegExp(`\\b${attribute}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const files = [...xml.matchAll(/^ {2}<testsuite [^>]*?\bfile="([^"]*)"[^>]*?\btime="([\d.]+)"/gm)].map(
    ([, file, seconds]) => ({ file, seconds: Number(seconds) }),
  );
  return { tests: count('tests'), failures: count('failures'), skipped: count('skipped'), files };
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

/**
 * Prints which files took longest, what failed and the closing line, and ends the process; with 0 when every run passed
 * and none was empty.
 *
 * @param failed what of the checks failed, each with what it printed
 */
export function conclude(runs, failed = []) {
  const files = runs.flatMap((run) => run.files.map((file) => ({ ...file, run: run.name })));
  const slowest = files.sort((one, other) => other.seconds - one.seconds).slice(0, SLOWEST);
  if (files.length > 1) console.log('\n▸ the slowest files');
  for (const { file, seconds, run } of files.length > 1 ? slowest : [])
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${file} (${run})`);
  for (const { name, errors, flaky } of runs) {
    for (const error of errors) console.log(`\n▸ failed in ${name}: ${error}`);
    for (const file of flaky) console.log(`\n▸ FLAKY: ${file} failed in ${name} and passed when run again by itself`);
  }
  for (const { what, printed } of failed) console.log(`\n▸ failed: ${what}\n${printed}`);
  const sum = (key) => runs.reduce((total, run) => total + run[key], 0);
  const [tests, failures, skipped] = [sum('tests'), sum('failures'), sum('skipped')];
  console.log(`${tests - failures - skipped} passed, ${failures} failed, ${skipped} skipped`);
  process.exit(failed.length === 0 && runs.every(isGood) ? 0 : 1);
}
