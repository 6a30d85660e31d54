// Everything CI runs, cheapest first. Ends with one line that counts the tests.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = (name) => join(root, 'node_modules', '.bin', name);
const bun = join(root, 'node_modules', 'bun', 'bin', 'bun.exe');
const report = join(root, '.reports', 'junit.xml');
mkdirSync(dirname(report), { recursive: true });
rmSync(report, { force: true });

const checks = [
  ['format and lint', bin('biome'), ['check', '--error-on-warnings', '.']],
  ['types', bin('tsc'), ['-p', 'tsconfig.base.json']],
  ['arrows between packages', bin('depcruise'), ['--config', '.dependency-cruiser.cjs', 'packages', 'apps']],
  ['dead code', bin('knip'), []],
  ['OpenAPI document', bun, ['node_modules/@redocly/cli/bin/cli.js', 'lint', 'docs/openapi.json']],
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

console.log('\n▸ tests');
const only = process.argv.slice(2);
const { status } = spawnSync(
  bun,
  ['test', '--timeout', '60000', '--reporter=junit', `--reporter-outfile=${report}`, ...only],
  { cwd: root, stdio: 'inherit' },
);

const [, head = ''] = /<testsuites([^>]*)>/.exec(readFileSync(report, 'utf8')) ?? [];
const count = (name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head)?.[1] ?? Number.NaN);
const [tests, failures, skipped] = [count('tests'), count('failures'), count('skipped')];
console.log(`${tests - failures - skipped} passed, ${failures} failed, ${skipped} skipped`);
process.exit(status === 0 && tests > 0 && failures === 0 ? 0 : 1);
