// Everything CI runs: checks, all tests with the program as one file, and some of them from source and over the parts
// of a deployment. Given paths it runs the tests below these and nothing else. Ends with one line that counts the tests.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { bunTest, conclude, reports, root, tryAgain } from './bun-test.mjs';
import { runChecks } from './check.mjs';
import { keepTimes, planRuns } from './plan.mjs';
import { scratchInMemory } from './scratch.mjs';
import { shareServers } from './servers.mjs';

/** Processes at once, beside the one that waits: tests wait for some of their time, so there are more than cores. */
const SIDE_BY_SIDE = 3;

const only = process.argv.slice(2);
if (only.length > 0) {
  if (!(await runScript('install.mjs'))) process.exit(1);
  conclude([await bunTest('source', only)]);
}

mkdirSync(reports, { recursive: true });
for (const name of readdirSync(reports)) if (/\.(?:xml|log)$/.test(name)) rmSync(join(reports, name));

const scratch = scratchInMemory() ?? {};
const { working, waiting } = planRuns(SIDE_BY_SIDE, scratch);
const servers = shareServers(scratch.TMPDIR ?? tmpdir());
const before = cpuTimes();
const failed = [];
const results = [];
let isBuilt = false;
const built = build();
const lanes = Array.from({ length: SIDE_BY_SIDE }, async (_, index) => {
  // Building and the checks go ahead of one lane's tests, beside those of the others that need no program.
  if (index === 0 && (await built)) failed.push(...(await runChecks(1)));
  // The longest of all needs the program.
  if (index === 1) await built;
  for (let next = await takeNext(); next; next = await takeNext()) await runTests(next);
});
const waited = built.then((isThere) => isThere && runTests(waiting));
await Promise.all([waited, ...lanes]);
console.log(`\n▸ the processors were busy for ${busyPercent(before, cpuTimes())}% of the time`);
keepTimes(results);
await tryAgain(results);
await (await servers).stop();
conclude(results, failed);

/** The pages, and the program as one file, which has them in it; without it there is nothing to test. */
async function build() {
  isBuilt = (await runScript('install.mjs')) && (await runScript('build.mjs'));
  if (!isBuilt) {
    failed.push({ what: 'the program as one file', printed: 'The lines above say why.' });
    working.length = 0;
  }
  return isBuilt;
}

/** Whether a script of this folder succeeds. */
async function runScript(name) {
  const child = spawn(process.execPath, [join(root, '.dev', name)], { cwd: root, stdio: 'inherit' });
  return (await new Promise((resolve, reject) => child.on('exit', resolve).on('error', reject))) === 0;
}

/** Milliseconds of all processors so far: what they spent on work, and in all. */
function cpuTimes() {
  const times = cpus().map(({ times }) => times);
  const sum = (values) => values.reduce((one, other) => one + other, 0);
  const all = sum(times.flatMap((each) => Object.values(each)));
  return { all, busy: all - sum(times.map(({ idle }) => idle)) };
}

/** Far below 100 the tests wait, and more of them could run at once. */
function busyPercent(start, end) {
  return Math.round((100 * (end.busy - start.busy)) / (end.all - start.all));
}

/** The longest that can run by now; undefined when all were taken. */
async function takeNext() {
  const canRun = ({ needsProgram }) => isBuilt || !needsProgram;
  if (!working.some(canRun)) await built;
  return working.splice(working.findIndex(canRun), 1)[0];
}

async function runTests({ name, area = name, files, environment: own, ownServers }) {
  const paths = files.map((file) => `./${file}`);
  const environment = { ...own, ...(await servers).leadingTo((server) => !ownServers.includes(server)) };
  results.push({ ...(await bunTest(name, paths, { environment, isBeside: true })), area });
}
