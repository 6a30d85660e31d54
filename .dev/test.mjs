// Everything CI runs, cheapest first. Ends with one line that counts the tests.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = (name) => join(root, 'node_modules', '.bin', name);
const report = join(root, '.reports', 'junit.xml');
mkdirSync(dirname(report), { recursive: true });
rmSync(report, { force: true });

const checks = [
  ['format and lint', bin('biome'), ['check', '--error-on-warnings', '.']],
  ['types', bin('tsc'), ['-p', 'tsconfig.base.json']],
  ['arrows between packages', bin('depcruise'), ['--config', '.dependency-cruiser.cjs', 'packages', 'apps']],
  ['dead code', bin('knip'), []],
];

for (const [what, command, args] of checks) {
  console.log(`\n▸ ${what}`);
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    console.error(`\n${what}: failed`);
    process.exit(1);
  }
}

// What leans on the database most, once more over PostgreSQL. All of it: POSTSHELF_TEST_DATABASE=postgres npm test PATH…
const OVER_POSTGRES = [
  'folders',
  'folder-races',
  'folder-tree',
  'media',
  'media-changes',
  'pagination',
  'auth',
  'access',
  'upload',
  'presign/confirm',
  'presign/issuing',
  'import/durability',
].map((name) => `./apps/server/test/acceptance/${name}.test.ts`);

const only = process.argv.slice(2);
const runs = [{ what: 'tests', paths: only, env: {} }];
if (only.length === 0) {
  runs.push({ what: 'tests over PostgreSQL', paths: OVER_POSTGRES, env: { POSTSHELF_TEST_DATABASE: 'postgres' } });
}
if (!process.env.CI && !hasPostgres()) runs.splice(1);

const bun = join(root, 'node_modules', 'bun', 'bin', 'bun.exe');
const totals = { tests: 0, failures: 0, skipped: 0 };
let isGood = true;
for (const { what, paths, env } of runs) {
  console.log(`\n▸ ${what}`);
  rmSync(report, { force: true });
  const { status } = spawnSync(
    bun,
    ['test', '--timeout', '60000', '--reporter=junit', `--reporter-outfile=${report}`, ...paths],
    { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } },
  );
  const [, head = ''] = /<testsuites([^>]*)>/.exec(readFileSync(report, 'utf8')) ?? [];
  const count = (name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head)?.[1] ?? Number.NaN);
  for (const name of Object.keys(totals)) totals[name] += count(name);
  isGood &&= status === 0 && count('tests') > 0 && count('failures') === 0;
}
const { tests, failures, skipped } = totals;
console.log(`${tests - failures - skipped} passed, ${failures} failed, ${skipped} skipped`);
process.exit(isGood ? 0 : 1);

/** Without a server the tests themselves have said what they skip; over SQLite they would only be repeated. */
function hasPostgres() {
  if (process.env.DATABASE_TEST_URL) return true;
  return spawnSync(join(root, '.ci/postgres/run.sh'), ['initdb', '--version'], { stdio: 'ignore' }).status === 0;
}
