// Divides the tests of `npm test` among processes: every file runs once, and some again in other environments.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEPLOYMENT, reports, root } from './bun-test.mjs';

const ACCEPTANCE = 'apps/server/test/acceptance';

/**
 * Run again over PostgreSQL, a bucket and two servers: tests of races and of files, which take other paths there.
 * `npm run test:deployment` runs the whole acceptance suite this way.
 */
const AS_DEPLOYED = [
  'duplicates/duplicates.test.ts',
  'folders/races.test.ts',
  'media/files.test.ts',
  'posts/attach-races.test.ts',
];

/**
 * Run again from source, as with `npm start`: pages are read from the disk in that case. All other acceptance tests run
 * the program as one file, which starts in a fifth of the time; `npm run test:long` runs more of them from source.
 */
const FROM_SOURCE = ['openapi/reference.test.ts', 'web/serving.test.ts'];

/**
 * Tests that mostly wait, with hardly any work: for connections that time out, leases that expire, stores that hang.
 * They run sequentially in a separate process, in addition to the processes that do work.
 */
const WAITING = [
  'apps/lab/test/fuzz/attacks.test.ts',
  'apps/server/test/acceptance/covers/fair-covers.test.ts',
  'apps/server/test/acceptance/fair-share/imports.test.ts',
  'apps/server/test/acceptance/faults/database.test.ts',
  'apps/server/test/acceptance/faults/ffmpeg.test.ts',
  'apps/server/test/acceptance/faults/names.test.ts',
  'apps/server/test/acceptance/faults/postgres.test.ts',
  'apps/server/test/acceptance/faults/read-only.test.ts',
  'apps/server/test/acceptance/faults/reserve.test.ts',
  'apps/server/test/acceptance/faults/storage.test.ts',
  'apps/server/test/acceptance/imports/durability.test.ts',
  'apps/server/test/acceptance/imports/leases.test.ts',
  'apps/server/test/acceptance/media/inspect-again.test.ts',
  'apps/server/test/acceptance/objects/ready.test.ts',
  'apps/server/test/acceptance/objects/slow-down.test.ts',
  'apps/server/test/acceptance/operate/connections.test.ts',
  'apps/server/test/acceptance/operate/database-pool.test.ts',
  'apps/server/test/acceptance/operate/stalled-output.test.ts',
  'apps/server/test/acceptance/operate/stopping.test.ts',
  'apps/server/test/acceptance/operate/tracing.test.ts',
  'apps/server/test/acceptance/tokens/streaming.test.ts',
  'packages/api/test/body/admission.test.ts',
  'packages/database/test/postgres/trouble.test.ts',
  'packages/database/test/sqlite/vacuum.test.ts',
  'packages/storage/test/s3/client/broken-connections.test.ts',
  'packages/storage/test/s3/client/gateway-faults.test.ts',
];

/**
 * Resources that take seconds to start, with a pattern for the test files that use them. Acceptance tests that use the
 * same resource run in one process: each further process with browsers would take ten more seconds of processor time,
 * with a bucket five.
 */
const SHARED = {
  browsers: /\binstalledBrowsers\(/,
  servers: /\breal(?:S3|Postgres)\(|\/(?:every-storage|libraries)\.ts'/,
};

/**
 * Servers that are started for one process only, as its tests stop them; all other tests share theirs (`servers.mjs`).
 */
const OWN_SERVERS = { 'acceptance-servers': ['postgres'], waiting: ['postgres', 'radosgw'] };

/** Areas whose temporary files are on the disk, as are those of the tests from source. */
const ON_DISK = ['storage'];

/** Seconds of tests above which a package is divided among several processes. */
const LONG = 120;
/**
 * Minimum seconds of acceptance tests in a process, as each prepares PostgreSQL, S3 and the libraries that tests copy.
 */
const SHORT = 25;

/** Typical seconds of a file that has never been run here, by what it uses or else by its area. */
const TYPICAL = { browsers: 23, servers: 9, acceptance: 4, database: 5, lab: 5, storage: 2 };

/**
 * The processes to run, the longest first, and the process that mostly waits.
 *
 * @param lanes how many processes run concurrently, without the waiting one
 * @param scratch the environment for temporary folders in memory, if they are available; tests of the disk don't use it
 */
export function planRuns(lanes, scratch = {}) {
  const times = readTimes();
  const secondsOf = (file, run) => times[`${run} ${file}`] ?? TYPICAL[resourceOf(file) ?? run] ?? 1;
  const program = { POSTSHELF_TEST_PROGRAM: join(root, 'dist', 'postshelf') };
  const working = testFiles().filter((file) => !existing(WAITING).includes(file));
  const environmentOf = (name) => (ON_DISK.includes(name) ? program : { ...program, ...scratch });
  const acceptance = working.filter((file) => file.startsWith(ACCEPTANCE));
  const unit = working.filter((file) => !file.startsWith(ACCEPTANCE));
  const runs = [
    ...divideAcceptance(acceptance, lanes, (file) => secondsOf(file, 'acceptance')),
    ...[...areas(unit)].flatMap(([name, files]) => divide(name, files, secondsOf)),
  ].map((run) => ({
    ...run,
    environment: environmentOf(run.area),
    needsProgram: run.files.some((file) => !file.startsWith('packages/')),
  }));
  const others = [
    { name: 'from-source', files: below(FROM_SOURCE) },
    ...(isDeployable()
      ? [{ name: 'as-deployed', files: below(AS_DEPLOYED), environment: { ...environmentOf(), ...DEPLOYMENT } }]
      : []),
  ].map((run) => ({
    ...run,
    needsProgram: true,
    seconds: sum(run.files.map((file) => secondsOf(file, run.name))),
  }));
  const served = (run) => ({ ...run, ownServers: OWN_SERVERS[run.name] ?? [] });
  return {
    working: [...runs, ...others].sort((one, other) => other.seconds - one.seconds).map(served),
    waiting: served({ name: 'waiting', files: WAITING, environment: environmentOf() }),
  };
}

const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);

const below = (names) => existing(names.map((name) => `${ACCEPTANCE}/${name}`));

/** @throws Error if a file doesn't exist: it was moved, and the list has to be updated */
function existing(files) {
  const missing = files.filter((file) => !existsSync(join(root, file)));
  if (missing.length > 0) throw new Error(`.dev/plan.mjs lists files that don't exist: ${missing.join(', ')}`);
  return files;
}

/** All test files. */
function testFiles() {
  return ['packages', 'apps']
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}/test`))
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => `${folder}/${name}`))
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .sort();
}

/** Files by package or application. */
function areas(files) {
  const groups = new Map();
  for (const file of files) {
    const [, name, , room] = file.split('/');
    const area = name === 'server' ? `server-${room.replace('.test.ts', '')}` : name;
    groups.set(area, [...(groups.get(area) ?? []), file]);
  }
  return groups;
}

/** The shared resource that a file of acceptance tests uses, if any. */
function resourceOf(file) {
  if (!file.startsWith(ACCEPTANCE)) return undefined;
  const text = readFileSync(join(root, file), 'utf8');
  return Object.keys(SHARED).find((name) => SHARED[name].test(text));
}

/** Divides acceptance tests: one process for each shared resource, and shorter and shorter processes for the others. */
function divideAcceptance(files, lanes, secondsOf) {
  const others = [];
  const sharing = Object.fromEntries(Object.keys(SHARED).map((name) => [name, []]));
  for (const file of files) {
    (sharing[resourceOf(file)] ?? others).push(file);
  }
  return [
    ...Object.entries(sharing).map(([name, own]) => ({ name, files: own, seconds: sum(own.map(secondsOf)) })),
    ...cut(others, lanes, secondsOf).map((part, index) => ({ name: index + 1, ...part })),
  ].map((each) => ({ ...each, name: `acceptance-${each.name}`, area: 'acceptance' }));
}

/**
 * Cuts files, in their order, into parts that get shorter and shorter, so that all lanes end at about the same time.
 */
function cut(files, lanes, secondsOf) {
  const parts = [];
  let left = sum(files.map(secondsOf));
  let part = { files: [], seconds: Number.POSITIVE_INFINITY };
  let room = 0;
  for (const file of files) {
    if (part.seconds >= room) {
      room = Math.max(SHORT, left / (2 * lanes));
      part = { files: [], seconds: 0 };
      parts.push(part);
    }
    part.files.push(file);
    part.seconds += secondsOf(file);
    left -= secondsOf(file);
  }
  return parts;
}

/** Divides a package's files among as few processes as {@link LONG} allows; each file goes to the shortest process. */
function divide(name, files, secondsOf) {
  const timed = files.map((file) => ({ file, seconds: secondsOf(file, name) }));
  const total = sum(timed.map(({ seconds }) => seconds));
  const parts = Array.from({ length: Math.max(1, Math.ceil(total / LONG)) }, () => ({ files: [], seconds: 0 }));
  for (const { file, seconds } of timed.sort((one, other) => other.seconds - one.seconds)) {
    const least = parts.reduce((one, other) => (other.seconds < one.seconds ? other : one));
    least.files.push(file);
    least.seconds += seconds;
  }
  return parts
    .filter((part) => part.files.length > 0)
    .map((part, index) => ({ name: parts.length > 1 ? `${name}-${index + 1}` : name, area: name, ...part }));
}

const timesFile = join(reports, 'times.json');

/** Seconds that files took in their last run here, by area and file. */
function readTimes() {
  try {
    return existsSync(timesFile) ? JSON.parse(readFileSync(timesFile, 'utf8')) : {};
  } catch (error) {
    console.error(`${timesFile} can't be read, so files are assumed to take typical times: ${error.message}`);
    return {};
  }
}

/** Stores the seconds of files for the next run. @param ended runs with the seconds of their files */
export function storeTimes(ended) {
  const times = readTimes();
  for (const { area, files } of ended) for (const { file, seconds } of files) times[`${area} ${file}`] = seconds;
  writeFileSync(timesFile, JSON.stringify(times, null, 1));
}

/** Whether PostgreSQL and S3 are available. Without them the tests would only repeat those over SQLite and files. */
const isDeployable = () => Boolean(process.env.CI) || (hasPostgres() && hasS3());

function hasPostgres() {
  if (process.env.DATABASE_TEST_URL) return true;
  return spawnSync(join(root, '.ci/postgres/run.sh'), ['initdb', '--version'], { stdio: 'ignore' }).status === 0;
}

function hasS3() {
  if (process.env.S3_ENDPOINT) return true;
  return spawnSync('bash', ['-c', 'command -v radosgw'], { stdio: 'ignore' }).status === 0;
}
