// Runs everything that CI runs: checks, all tests with the program as one file, and some again from source and over
// PostgreSQL and S3. With paths as arguments, only the tests below these. The last line counts the tests.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { bunTest, conclude, reports, retryFailed, root } from './bun-test.mjs';
import { runChecks } from './check.mjs';
import { planRuns, storeTimes } from './plan.mjs';
import { scratchInMemory } from './scratch.mjs';
import { shareServers } from './servers.mjs';

/** Concurrent processes, without the waiting one: tests wait some of the time, so there are more than cores. */
const LANES = 3;

const only = process.argv.slice(2);
if (only.length > 0) {
  if (!(await runScript('install.mjs'))) process.exit(1);
  conclude([await bunTest('source', only)]);
}

mkdirSync(reports, { recursive: true });
for (const name of readdirSync(reports)) if (/\.(?:xml|log)$/.test(name)) rmSync(join(reports, name));

const scratch = scratchInMemory() ?? {};
const { working, waiting } = planRuns(LANES, scratch);
const servers = shareServers(scratch.TMPDIR ?? tmpdir());
const before = cpuTimes();
const failed = [];
const results = [];
let isBuilt = false;
const built = build();
const lanes = Array.from({ length: LANES }, async (_, index) => {
  // The first lane begins with the build and the checks; the others run tests that don't need the program meanwhile.
  if (index === 0 && (await built)) failed.push(...(await runChecks(1)));
  // The longest process needs the program.
  if (index === 1) await built;
  for (let next = await takeNext(); next; next = await takeNext()) await runTests(next);
});
const waited = built.then((succeeded) => succeeded && runTests(waiting));
await Promise.all([waited, ...lanes]);
console.log(`\n▸ the processors were busy for ${busyPercent(before, cpuTimes())}% of the time`);
storeTimes(results);
await retryFailed(results);
await (await servers).stop();
conclude(results, failed);

/** Builds the pages, and the program as one file that contains them; if that fails, no further tests are run. */
async function build() {
  isBuilt = (await runScript('install.mjs')) && (await runScript('build.mjs'));
  if (!isBuilt) {
    failed.push({ what: 'the program as one file', printed: 'The lines above say why.' });
    working.length = 0;
  }
  return isBuilt;
}

/** Runs a script of this folder; returns whether it succeeded. */
async function runScript(name) {
  const child = spawn(process.execPath, [join(root, '.dev', name)], { cwd: root, stdio: 'inherit' });
  return (await new Promise((resolve, reject) => child.on('exit', resolve).on('error', reject))) === 0;
}

/** Milliseconds of all processors since the machine started: busy, and in total. */
function cpuTimes() {
  const times = cpus().map(({ times }) => times);
  const sum = (values) => values.reduce((one, other) => one + other, 0);
  const all = sum(times.flatMap((each) => Object.values(each)));
  return { all, busy: all - sum(times.map(({ idle }) => idle)) };
}

/** If far below 100, more tests could run concurrently. */
function busyPercent(start, end) {
  return Math.round((100 * (end.busy - start.busy)) / (end.all - start.all));
}

/** Takes the longest process that can run now; undefined when none is left. */
async function takeNext() {
  const canRun = ({ needsProgram }) => isBuilt || !needsProgram;
  if (!working.some(canRun)) await built;
  return working.splice(working.findIndex(canRun), 1)[0];
}

async function runTests({ name, area = name, files, environment: own, ownServers }) {
  const paths = files.map((file) => `./${file}`);
  const environment = { ...own, ...(await servers).environmentFor((server) => !ownServers.includes(server)) };
  results.push({ ...(await bunTest(name, paths, { environment, isConcurrent: true })), area });
}
