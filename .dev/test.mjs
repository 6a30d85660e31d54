// Everything CI runs: checks, all tests with the program as one file, and some of them from source and over the parts
// of a deployment. Given paths it runs the tests below these and nothing else. Ends with one line that counts the tests.
import { spawnSync } from 'node:child_process';
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

const failed = [];
const { status } = spawnSync(process.execPath, [join(root, '.dev', 'build.mjs')], { cwd: root, stdio: 'inherit' });
if (status !== 0) conclude([], [{ what: 'the program as one file', printed: 'The lines above say why.' }]);

const waiting = planRuns();
const results = [];
const lanes = Array.from({ length: SIDE_BY_SIDE }, async (_, index) => {
  // The checks go ahead of one lane's tests, beside those of the others.
  if (index === 0) failed.push(...(await runChecks(1)));
  for (let next = waiting.shift(); next; next = waiting.shift()) await runTests(next);
});
await Promise.all(lanes);
keepTimes(results);
conclude(results, failed);

async function runTests({ name, area = name, files, environment }) {
  const paths = files.map((file) => `./${file}`);
  results.push({ ...(await bunTest(name, paths, { environment, isBeside: true })), area });
}
