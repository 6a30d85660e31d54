// Everything CI runs, cheapest first. Ends with one line that counts the tests.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bun, bunTest, conclude, DEPLOYMENT, root } from './bun-test.mjs';

const bin = (name) => join(root, 'node_modules', '.bin', name);
const ACCEPTANCE = './apps/server/test/acceptance';

/** Areas of the acceptance tests in a line of their own. */
const SLOW = ['import', 'posts', 'presign', 'faults'];

/** What looks after a library as its operator does, and clients that are others' or are built first. */
const OPERATORS = ['backups', 'ownership', 'copy', 's3'];
const CLIENTS = ['client', 'foreign'];

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

/** Runs at once; each of them starts processes of its own. */
const SIDE_BY_SIDE = 3;

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

// Tests wait for most of their time, so some runs of them stand side by side; the longest are begun first.
const waiting = planRuns();
const results = [];
await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
conclude(...results);

async function work() {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const started = Date.now();
    results.push(await bunTest(next.name, next.paths, next.environment ?? {}, true));
    console.log(`${next.name}: ${Math.round((Date.now() - started) / 1000)} s`);
  }
}

/**
 * Every test once; what leans on database and storage most, over those of a deployment too; and the program as one file
 * (`npm run test:binary` runs all of it).
 */
function planRuns() {
  const areas = readdirSync(join(root, ACCEPTANCE));
  const others = areas.filter((name) => ![...SLOW, ...OPERATORS, ...CLIENTS].includes(name));
  const below = (names) => names.map((name) => `${ACCEPTANCE}/${name}`);
  const isDeployed = process.env.CI || (hasPostgres() && hasS3());
  return [
    { name: 'server', paths: ['./apps/server/test/unit', './apps/server/test/binary', ...below(others)] },
    { name: 'slow', paths: below(SLOW) },
    { name: 'operators', paths: below(OPERATORS) },
    { name: 'clients', paths: below(CLIENTS) },
    { name: 'packages', paths: ['./packages'] },
    ...(isDeployed ? [{ name: 'as-deployed', paths: AS_DEPLOYED, environment: DEPLOYMENT }] : []),
    { name: 'attacks', paths: ['./apps/lab'] },
    {
      name: 'as-one-file',
      paths: SMOKE,
      environment: { POSTSHELF_TEST_PROGRAM: join(root, 'dist', 'postshelf') },
    },
  ];
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
