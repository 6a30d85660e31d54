// Everything CI runs, cheapest first. Ends with one line that counts the tests.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bun, bunTest, conclude, DEPLOYMENT, root } from './bun-test.mjs';

const bin = (name) => join(root, 'node_modules', '.bin', name);
const ACCEPTANCE = './apps/server/test/acceptance';

/** Areas of the acceptance tests in a line of their own. */
const SLOW = ['import', 'posts', 'presign', 'faults'];

/** What a compiled program could do otherwise than the source: every command, adapter, codec and lazy import once. */
const SMOKE = [
  'cli.test.ts',
  'upload.test.ts',
  'files.test.ts',
  'trpc.test.ts',
  'durability.test.ts',
  'import/tls.test.ts',
  'import/workers.test.ts',
  'presign/confirm.test.ts',
  'backup.test.ts',
  'postgres.test.ts',
].map((file) => `${ACCEPTANCE}/${file}`);

const checks = [
  ['format and lint', bin('biome'), ['check', '--error-on-warnings', '.']],
  ['types', bin('tsc'), ['-p', 'tsconfig.base.json']],
  ['arrows between packages', bin('depcruise'), ['--config', '.dependency-cruiser.cjs', 'packages', 'apps']],
  ['dead code', bin('knip'), []],
  ['OpenAPI document', bun, ['node_modules/@redocly/cli/bin/cli.js', 'lint', 'docs/openapi.json']],
  ['the program as one file', process.execPath, [join(root, '.dev', 'build.mjs')]],
];

// Checks work offline, and tell nobody that they were run.
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

for (const [what, command, args] of checks) {
  console.log(`\n▸ ${what}`);
  const { status } = spawnSync(command, args, { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) {
    console.error(`\n${what}: failed`);
    process.exit(1);
  }
}

// What leans on database and storage most, once more over PostgreSQL, a bucket and two servers (`npm run test:deployment`
// runs all of it).
const AS_DEPLOYED = [
  'folders.test.ts',
  'folder-races.test.ts',
  'media.test.ts',
  'media-changes.test.ts',
  'upload.test.ts',
  'files.test.ts',
  'presign/confirm.test.ts',
  'posts/creating.test.ts',
  'posts/attach-races.test.ts',
  'analytics/changes.test.ts',
].map((file) => `${ACCEPTANCE}/${file}`);

const only = process.argv.slice(2);
console.log('\n▸ tests');
if (only.length > 0) conclude(await bunTest('source', only));

// Tests wait for most of their time, so lines of them stand side by side.
const lines = await Promise.all([runServer(), runAcceptance(), runPackages()]);
conclude(...lines.flat());

/** The server's tests but for the slow areas, and then the attacks on it, crashes and benchmarks. */
async function runServer() {
  const acceptance = readdirSync(join(root, ACCEPTANCE)).filter((name) => !SLOW.includes(name));
  const paths = [
    './apps/server/test/unit',
    './apps/server/test/binary',
    ...acceptance.map((name) => `${ACCEPTANCE}/${name}`),
  ];
  const server = await bunTest('server', paths);
  return [server, await bunTest('attacks', ['./apps/bench', './apps/fuzz', './apps/torture'])];
}

/** The areas of the acceptance tests that take the longest, as imports wait and processes are killed. */
async function runAcceptance() {
  return [
    await bunTest(
      'slow',
      SLOW.map((name) => `${ACCEPTANCE}/${name}`),
      {},
      true,
    ),
  ];
}

/**
 * The packages; what leans on database and storage most, over those of a deployment; and the program as one file
 * (`npm run test:binary` runs all of it).
 */
async function runPackages() {
  const runs = [await bunTest('packages', ['./packages'], {}, true)];
  if (process.env.CI || (hasPostgres() && hasS3()))
    runs.push(await bunTest('as-deployed', AS_DEPLOYED, DEPLOYMENT, true));
  const program = join(root, 'dist', 'postshelf');
  runs.push(await bunTest('as-one-file', SMOKE, { POSTSHELF_TEST_PROGRAM: program }, true));
  return runs;
}

/** Without either the tests themselves have said what they skip; over SQLite they would only be repeated. */
function hasPostgres() {
  if (process.env.DATABASE_TEST_URL) return true;
  return spawnSync(join(root, '.ci/postgres/run.sh'), ['initdb', '--version'], { stdio: 'ignore' }).status === 0;
}

function hasS3() {
  if (process.env.S3_ENDPOINT) return true;
  return spawnSync('bash', ['-c', 'command -v radosgw'], { stdio: 'ignore' }).status === 0;
}
