// `npm test` runs all checks and tests, or, with paths, only the tests below these paths. `--suite NAME` runs one of
// the SUITES. Bun's test runner divides files among processes; this script starts the servers that the processes share,
// and prints the counts in the last line.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChecks } from './check.mjs';
import { countLanes } from './lanes.mjs';
import { showProgress } from './progress.mjs';
import { makeScratch } from './scratch.mjs';
import { shareServers } from './servers.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const bun = join(root, 'node_modules/bun/bin/bun.exe');
const reports = join(root, '.reports');

/**
 * The file with the durations, in milliseconds, of the slowest test files. The first run in a clone uses them, because
 * it has no durations of its own yet.
 */
const TIMES = join(root, '.dev/times.json');

/** Maximum number of failed files that are run again. If there are more, the failures aren't random. */
const MAX_RETRIED_FILES = 3;

/** Number of files listed at the end as the slowest. */
const SLOWEST = 15;

const ENTITIES = { quot: '"', apos: "'", lt: '<', gt: '>', amp: '&' };

const ACCEPTANCE = 'apps/server/test/acceptance';

const DATABASE_CONTRACTS = ['sqlite', 'postgres'].map((name) => `packages/database/test/contracts-${name}.test.ts`);

/** Contract tests that contain races. In the long form they run more rounds. */
const CONTRACTS = [
  ...DATABASE_CONTRACTS,
  ...['filesystem', 's3'].map((name) => `packages/storage/test/${name}/contracts.test.ts`),
];

/**
 * The environment that makes tests use the compiled executable, which starts five times as fast as the program does
 * from source.
 */
const AS_ONE_FILE = { POSTSHELF_TEST_PROGRAM: join(root, 'dist/postshelf') };

/**
 * The environment that makes tests use the components of a large installation: PostgreSQL, an S3 bucket, and two
 * servers that are called alternately.
 */
const DEPLOYMENT = {
  POSTSHELF_TEST_DATABASE: 'postgres',
  POSTSHELF_TEST_STORAGE: 's3',
  POSTSHELF_TEST_SERVERS: '2',
};

/**
 * Suites that `npm test` runs again with the components of a large installation, because other code runs when events
 * pass between servers and when files are stored in a bucket. Races on PostgreSQL are tested by the contract tests, and
 * races between whole processes by `deployment` in the acceptance suite. `npm run test:deployment` runs the whole
 * acceptance suite with these components.
 */
const AS_DEPLOYED = ['events/events', 'media/files'];

/** Suites that are run again from source, as with `npm start`, where pages are read from the disk. */
const FROM_SOURCE = ['openapi/reference', 'web/serving'];

/** Tests that stop, pause or kill PostgreSQL or the S3 server, so they start servers of their own. */
const OWN_SERVERS = [
  ...[
    ...['deployment/many-processes', 'deployment/postgres', 'faults/postgres', 'faults/read-only', 'faults/storage'],
    ...['objects/ready'],
  ].map(acceptance),
  'packages/database/test/postgres/trouble.test.ts',
  'packages/storage/test/s3/client/gateway-faults.test.ts',
];

const inLanes = (count) => [`--parallel=${count}`, '--no-isolate'];

/** Suites by the name in `npm run test:NAME`: the paths that run by default, and the environment. */
const SUITES = {
  arm64: () => ({
    paths: ['apps/server/test/binary/arm64.test.ts'],
    environment: { POSTSHELF_TEST_ARM64: join(root, 'dist/postshelf-linux-arm64') },
  }),
  // containers.mjs starts a container engine if necessary, and runs this suite. The service, PostgreSQL and the S3
  // server all run in containers.
  containers: () => ({
    paths: ['apps/server/test/containers', ...DATABASE_CONTRACTS, 'packages/storage/test/s3/contracts.test.ts'],
    environment: { POSTSHELF_TEST_CONTAINERS: '1' },
  }),
  binary: () => ({ paths: [ACCEPTANCE, 'apps/server/test/binary'], environment: AS_ONE_FILE }),
  // databases.mjs runs this suite once for each version of PostgreSQL.
  database: () => ({
    paths: [...DATABASE_CONTRACTS, 'packages/database/test/postgres', ACCEPTANCE],
    environment: { ...AS_ONE_FILE, POSTSHELF_TEST_DATABASE: 'postgres' },
    options: inLanes(2),
  }),
  deployment: () => ({ paths: [ACCEPTANCE], environment: { ...AS_ONE_FILE, ...DEPLOYMENT }, options: inLanes(2) }),
  // This suite runs tests in their long form, with larger sizes and more rounds. The program runs from source, so
  // commands and modules that it loads late are tested as well.
  long: () => ({
    paths: [...['commands/cli', 'isolation/operations', 'media/files'].map(acceptance), ...CONTRACTS, ...longForms()],
    environment: { POSTSHELF_TEST_LONG: '1' },
  }),
};

mkdirSync(reports, { recursive: true });
for (const name of readdirSync(reports)) if (name.endsWith('.xml')) rmSync(join(reports, name));
const args = process.argv.slice(2);
const suite = args[0] === '--suite' ? SUITES[args.splice(0, 2)[1]]() : { paths: [] };
const paths = args.length > 0 ? args : suite.paths;
const failed = [];
const runs = [];
if (paths.length > 0)
  await test('tests', paths, { ...suite, environment: { ...makeScratch({ inMemory: false }), ...suite.environment } });
else await testEverything();
conclude();

async function testEverything() {
  // The processes are counted before the build, because the build would count as load.
  const lanes = await countLanes();
  if (!((await runScript('install.mjs')) && (await runScript('build.mjs')))) {
    failed.push('the program as one file; the lines above say why');
    return;
  }
  const progress = showProgress(reports);
  const scratch = { ...makeScratch({ inMemory: true }), ...progress.environment };
  const servers = await shareServers(scratch.TMPDIR);
  const environment = { ...scratch, ...AS_ONE_FILE };
  const shared = { ...environment, ...servers.environment };
  const besides = existing(OWN_SERVERS).map((file) => `--path-ignore-patterns=${file}`);
  const others = async () => {
    await test('own-servers', OWN_SERVERS, { environment });
    await test('from-source', FROM_SOURCE.map(acceptance), { environment: scratch });
    // Without both servers these tests would only repeat the tests with SQLite and files.
    if (process.env.CI || servers.areAll)
      await test('as-deployed', AS_DEPLOYED.map(acceptance), {
        environment: { ...shared, ...DEPLOYMENT },
      });
  };
  await Promise.all([
    runChecks(1).then((found) => failed.push(...found)),
    others(),
    test('all', [], { options: [...inLanes(lanes), ...longestFirst(), ...besides], environment: shared }),
  ]);
  progress.stop(runs.flatMap((run) => run.files).reduce((sum, { tests, skipped }) => sum + tests - skipped, 0));
  const again = runs.flatMap((run) => run.files.filter(({ failures }) => failures > 0).map((file) => ({ run, file })));
  if (again.length <= MAX_RETRIED_FILES) for (const each of again) await retry(each);
  await servers.stop();
}

/**
 * Returns options that start the longest files first. The durations are those of the last run on this machine or,
 * before the first run, those in TIMES.
 */
function longestFirst() {
  const own = join(reports, 'times.json');
  if (!existsSync(own)) {
    const { files, ...rest } = JSON.parse(readFileSync(TIMES, 'utf8'));
    // Bun starts files without a time before all others, so they are given a short time.
    const short = Object.fromEntries(testFiles().map((file) => [file, 1000]));
    writeFileSync(own, JSON.stringify({ ...rest, files: { ...short, ...files } }));
  }
  return [`--timings=${own}`, '--update-timings'];
}

/** Runs tests, and reads the outcome from the report. */
async function test(name, files, { options = [], environment }) {
  const report = join(reports, `${name}.xml`);
  const own = ['--reporter=junit', `--reporter-outfile=${report}`];
  // Tests run too briefly to benefit from JavaScriptCore's slowest compiler, which used a tenth of the processor time.
  // Freed memory isn't returned to the system, because the next test soon requests it again; returning it used a
  // quarter of the system time.
  const thrifty = { BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '640000', MIMALLOC_PURGE_DELAY: '-1' };
  const env = { ...thrifty, ...withoutProxies(process.env), ...environment };
  // Passed tests are printed only if paths are given, because then someone waits for these tests.
  const shown = paths.length > 0 ? [] : ['--only-failures'];
  const child = spawn(bun, ['test', ...own, ...shown, ...options, ...files], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'pipe'],
    env,
  });
  const run = { name, environment, hasErrors: false };
  child.stderr.setEncoding('utf8').on('data', (text) => {
    process.stderr.write(text);
    run.hasErrors ||= text.includes('# Unhandled error between tests');
  });
  run.status = await ended(child);
  const xml = existsSync(report) ? readFileSync(report, 'utf8') : '';
  const [, ...testsuites] = xml.split(/^ {2}(?=<testsuite )/m);
  run.files = testsuites.map(readFile);
  runs.push(run);
  return run;
}

/** Removes proxies from an environment. Tests connect only to this machine, and a proxy wouldn't find their servers. */
function withoutProxies(environment) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^(?:https?|all)_proxy$/i.test(name)));
}

/** Returns the outcome of one file from a report. */
function readFile(xml) {
  const attribute = (name) => new RegExp(`\\b${name}="([^"]*)"`).exec(xml)?.[1];
  const [tests, failures, skipped, seconds] = ['tests', 'failures', 'skipped', 'time'].map((name) =>
    Number(attribute(name)),
  );
  const failedTests = [...xml.matchAll(/<testcase name="([^"]*)"[^>]*>\s*<failure/g)].map(([, name]) =>
    name.replace(/&(\w+);/g, (entity, word) => ENTITIES[word] ?? entity),
  );
  return { file: attribute('file'), tests, failures, skipped, seconds, failedTests, flaky: [] };
}

/**
 * Runs a failed file again while nothing else runs, because tests of races sometimes fail when four processes share two
 * cores. Tests that then pass don't fail the run, but they should be fixed, so the last lines of the output name them.
 */
async function retry({ run, file }) {
  const again = await test(`${run.name}-again`, [file.file], { environment: run.environment });
  runs.pop();
  if (!hasPassed(again)) return;
  Object.assign(file, { failures: 0, flaky: file.failedTests });
  if (!run.files.some(({ failures }) => failures > 0) && !run.hasErrors) run.status = 0;
}

/** Whether a run passed. A run without tests fails, because its paths must be wrong. */
function hasPassed({ status, files }) {
  return status === 0 && files.length > 0 && !files.some(({ failures }) => failures > 0);
}

/** Prints the slowest files, the failures, and the counts; exits with 0 if everything passed. */
function conclude() {
  const files = runs.flatMap((run) => run.files.map((file) => ({ ...file, run: run.name })));
  const slowest = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, SLOWEST);
  if (files.length > 1) console.log('\n▸ the slowest files');
  for (const { file, seconds, run } of files.length > 1 ? slowest : [])
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${file} (${run})`);
  for (const each of failed) console.log(`\n▸ failed: ${each}`);
  for (const { name } of runs.filter((run) => !hasPassed(run)))
    console.log(`▸ failed: the run ${name}; the lines above say why`);
  for (const { run, file, failedTests } of files.filter(({ failures }) => failures > 0))
    for (const each of failedTests) console.log(`▸ failed in ${run}: ${file}: ${each}`);
  for (const { run, file, flaky } of files)
    for (const each of flaky)
      console.log(`▸ FLAKY: failed in ${run}, and passed when its file ran again by itself: ${file}: ${each}`);
  const sum = (key) => files.reduce((total, file) => total + file[key], 0);
  const [tests, failures, skipped] = [sum('tests'), sum('failures'), sum('skipped')];
  console.log(`${tests - failures - skipped} passed, ${failures} failed, ${skipped} skipped`);
  process.exitCode = failed.length === 0 && runs.length > 0 && runs.every(hasPassed) ? 0 : 1;
}

function acceptance(name) {
  return `${ACCEPTANCE}/${name}.test.ts`;
}

/**
 * Checks that files exist.
 *
 * @throws Error if a file doesn't exist. Probably the file was moved, and the list that names it has to be updated
 */
function existing(files) {
  const missing = files.filter((file) => !existsSync(join(root, file)));
  if (missing.length > 0) throw new Error(`No such tests: ${missing.join(', ')}`);
  return files;
}

/** Returns the test files that choose a size with `sized` (packages/harness). */
function longForms() {
  return testFiles().filter((file) => /\bsized\(/.test(readFileSync(join(root, file), 'utf8')));
}

function testFiles() {
  const folders = ['packages', 'apps'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}/test`),
  );
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)))
    .filter((file) => file.endsWith('.test.ts'));
}

/** Runs a script of this folder; returns whether it succeeded. */
async function runScript(name) {
  return (await ended(spawn(process.execPath, [join(root, '.dev', name)], { cwd: root, stdio: 'inherit' }))) === 0;
}

function ended(child) {
  return new Promise((resolve, reject) => child.on('exit', resolve).on('error', reject));
}
