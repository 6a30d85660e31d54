// Which tests `npm test` runs in which process: every file once, and some of them over other parts.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEPLOYMENT, reports, root } from './bun-test.mjs';

const ACCEPTANCE = 'apps/server/test/acceptance';

/**
 * Once more over PostgreSQL, a bucket and two servers: races, and bytes that go another way there. `npm run test:deployment`
 * runs all the others so.
 */
const AS_DEPLOYED = [
  'duplicates/duplicates.test.ts',
  'folders/races.test.ts',
  'media/files.test.ts',
  'posts/attach-races.test.ts',
];

/**
 * Once more from source, as `npm start` runs it: pages that are read from the disk there. All other acceptance tests run the
 * program as one file, which starts in a fifth of the time; `npm run test:long` runs more of them from source.
 */
const FROM_SOURCE = ['openapi/reference.test.ts', 'web/serving.test.ts'];

/**
 * Those that wait for time to pass, with hardly any work: for connections that time out, leases that end, stores that
 * hang. They run one after the other in a process of their own, beside as many others as the machine has processors for.
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
  'packages/api/test/body/admission-watch.test.ts',
  'packages/database/test/postgres/trouble.test.ts',
  'packages/database/test/sqlite/give-back.test.ts',
  'packages/storage/test/s3/client/broken-connections.test.ts',
  'packages/storage/test/s3/client/gateway-faults.test.ts',
];

/**
 * What takes seconds to start, by what a file says that starts it: acceptance tests that use the same are one process. Each
 * other process with a browser would need ten seconds of a processor more, and with a bucket five.
 */
const SHARED = {
  browsers: /\binstalledBrowsers\(/,
  servers: /\breal(?:S3|Postgres)\(|\/(?:every-storage|libraries)\.ts'/,
};

/** What stops servers has those for itself; all other tests use the same (`servers.mjs`). */
const OWN_SERVERS = { 'acceptance-servers': ['postgres'], waiting: ['postgres', 'radosgw'] };

/** Areas whose temporary files stay on the disk. The tests from source do too. */
const ON_DISK = ['storage'];

/** Seconds of tests in one process, beyond which a package is divided. */
const LONG = 120;
/** Seconds below which acceptance tests get no process of their own: each starts PostgreSQL, S3 and what worlds are copied from. */
const SHORT = 25;

/** Seconds that a file is taken to need before it was ever run here. */
const UNKNOWN = { acceptance: 10, others: 1 };

/**
 * The processes to run, the longest first, and beside them the one that waits.
 *
 * @param lanes how many of them run at once
 * @param scratch the environment that sends tests to temporary folders in memory, if there is one. What is about the disk
 * itself stays on the disk.
 */
export function planRuns(lanes, scratch = {}) {
  const times = readTimes();
  const secondsOf = (file, run) =>
    times[`${run} ${file}`] ?? (file.startsWith(ACCEPTANCE) ? UNKNOWN.acceptance : UNKNOWN.others);
  const program = { POSTSHELF_TEST_PROGRAM: join(root, 'dist', 'postshelf') };
  const working = testFiles().filter((file) => !there(WAITING).includes(file));
  const environmentOf = (name) => (ON_DISK.includes(name) ? program : { ...program, ...scratch });
  const fromOutside = working.filter((file) => file.startsWith(ACCEPTANCE));
  const inside = working.filter((file) => !file.startsWith(ACCEPTANCE));
  const runs = [
    ...divideOutside(fromOutside, lanes, (file) => secondsOf(file, 'acceptance')),
    ...[...areas(inside)].flatMap(([name, files]) => divide(name, files, secondsOf)),
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

const below = (names) => there(names.map((name) => `${ACCEPTANCE}/${name}`));

/** @throws Error for a file that is not there: it was moved, and this list has to follow */
function there(files) {
  const missing = files.filter((file) => !existsSync(join(root, file)));
  if (missing.length > 0) throw new Error(`.dev/plan.mjs names what is not there: ${missing.join(', ')}`);
  return files;
}

/** All files of tests. */
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

/** Acceptance tests: a process for those that share something, and the others in processes that get shorter and shorter. */
function divideOutside(files, lanes, secondsOf) {
  const others = [];
  const sharing = Object.fromEntries(Object.keys(SHARED).map((name) => [name, []]));
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    const name = Object.keys(SHARED).find((each) => SHARED[each].test(text));
    (sharing[name] ?? others).push(file);
  }
  return [
    ...Object.entries(sharing).map(([name, own]) => ({ name, files: own, seconds: sum(own.map(secondsOf)) })),
    ...cut(others, lanes, secondsOf).map((part, index) => ({ name: index + 1, ...part })),
  ].map((each) => ({ ...each, name: `acceptance-${each.name}`, area: 'acceptance' }));
}

/** Parts of files in their order that get shorter and shorter, so that all lanes end at about the same time. */
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

/** A package in as many processes as leave none of them too long; each file where there is most time left. */
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

/** Seconds that files took when they ran last, by area and file; before the first run here, those of `.dev/times.json`. */
function readTimes() {
  const file = existsSync(timesFile) ? timesFile : join(root, '.dev', 'times.json');
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.error(`${file} can't be read, so all files of tests are taken to be alike: ${error.message}`);
    return {};
  }
}

/** @param ended runs with the seconds of their files */
export function keepTimes(ended) {
  const times = readTimes();
  for (const { area, files } of ended) for (const { file, seconds } of files) times[`${area} ${file}`] = seconds;
  writeFileSync(timesFile, JSON.stringify(times, null, 1));
}

/** Without PostgreSQL or S3 the tests themselves have said what they skip; over SQLite they would only be repeated. */
const isDeployable = () => Boolean(process.env.CI) || (hasPostgres() && hasS3());

function hasPostgres() {
  if (process.env.DATABASE_TEST_URL) return true;
  return spawnSync(join(root, '.ci/postgres/run.sh'), ['initdb', '--version'], { stdio: 'ignore' }).status === 0;
}

function hasS3() {
  if (process.env.S3_ENDPOINT) return true;
  return spawnSync('bash', ['-c', 'command -v radosgw'], { stdio: 'ignore' }).status === 0;
}
