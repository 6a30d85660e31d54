// Everything CI runs: checks, all tests, and some of them over the parts of a deployment and with the program as one
// file. Given paths it runs the tests below these and nothing else. Ends with one line that counts the tests.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bunTest, conclude, reports, root } from './bun-test.mjs';
import { runChecks } from './check.mjs';
import { keepTimes, planRuns } from './plan.mjs';

/** Processes at once: tests wait for most of their time, so there are more of them than cores. */
const SIDE_BY_SIDE = 3;

const only = process.argv.slice(2);
if (only.length > 0) conclude([await bunTest('source', only)]);

mkdirSync(reports, { recursive: true });
for (const name of readdirSync(reports)) if (/\.(?:xml|log)$/.test(name)) rmSync(join(reports, name));

const waiting = planRuns();
const results = [];
const failed = [];
let isBuilt = false;
const program = build();
const lanes = Array.from({ length: SIDE_BY_SIDE }, async (_, index) => {
  // The checks go ahead of one lane's tests, beside those of the others.
  if (index === 0) failed.push(...(await runChecks(1)));
  for (let next = take(); next; next = take()) await runTests(next);
});
await Promise.all(lanes);
keepTimes(results);
conclude(results, failed);

/** The longest that can begin now. */
function take() {
  const at = waiting.findIndex(({ needsProgram }) => isBuilt || !needsProgram);
  return waiting.splice(Math.max(0, at), 1)[0];
}

async function runTests({ name, area = name, files, environment, needsProgram }) {
  if (needsProgram && !(await program)) return;
  const paths = files.map((file) => `./${file}`);
  results.push({ ...(await bunTest(name, paths, { environment, isBeside: true })), area });
}

/** The program as one file; whether that went well. */
async function build() {
  const child = spawn(process.execPath, [join(root, '.dev', 'build.mjs')], { cwd: root, stdio: 'inherit' });
  const status = await new Promise((resolve, reject) => child.on('exit', resolve).on('error', reject));
  if (status !== 0) failed.push({ what: 'the program as one file', printed: 'npm run build says why.' });
  isBuilt = true;
  return status === 0;
}
