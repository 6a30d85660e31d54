// Everything CI runs: checks, all tests with the program as one file, and some of them from source and over the parts
// of a deployment. Given paths it runs the tests below these and nothing else. Ends with one line that counts the tests.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bunTest, conclude, reports, root, tryAgain } from './bun-test.mjs';
import { runChecks } from './check.mjs';
import { keepTimes, planRuns } from './plan.mjs';
import { scratchInMemory } from './scratch.mjs';

/** Processes at once, beside the one that waits: tests wait for some of their time, so there are more than cores. */
const SIDE_BY_SIDE = 3;

const only = process.argv.slice(2);
if (only.length > 0) conclude([await bunTest('source', only)]);

mkdirSync(reports, { recursive: true });
for (const name of readdirSync(reports)) if (/\.(?:xml|log)$/.test(name)) rmSync(join(reports, name));

const { working, waiting } = planRuns(SIDE_BY_SIDE, scratchInMemory() ?? {});
const failed = [];
const results = [];
let isBuilt = false;
const built = build();
const lanes = Array.from({ length: SIDE_BY_SIDE }, async (_, index) => {
  // Building and the checks go ahead of one lane's tests, beside those of the others that need no program.
  if (index === 0 && (await built)) failed.push(...(await runChecks(1)));
  for (let next = await takeNext(); next; next = await takeNext()) await runTests(next);
});
const waited = built.then((isThere) => isThere && runTests(waiting));
await Promise.all([waited, ...lanes]);
keepTimes(results);
await tryAgain(results);
conclude(results, failed);

/** The program as one file; without it there is nothing to test. */
async function build() {
  const child = spawn(process.execPath, [join(root, '.dev', 'build.mjs')], { cwd: root, stdio: 'inherit' });
  const status = await new Promise((resolve, reject) => child.on('exit', resolve).on('error', reject));
  isBuilt = status === 0;
  if (!isBuilt) {
    failed.push({ what: 'the program as one file', printed: 'The lines above say why.' });
    working.length = 0;
  }
  return isBuilt;
}

/** The longest that can run by now; undefined when all were taken. */
async function takeNext() {
  const canRun = ({ needsProgram }) => isBuilt || !needsProgram;
  if (!working.some(canRun)) await built;
  return working.splice(working.findIndex(canRun), 1)[0];
}

async function runTests({ name, area = name, files, environment }) {
  const paths = files.map((file) => `./${file}`);
  results.push({ ...(await bunTest(name, paths, { environment, isBeside: true })), area });
}
