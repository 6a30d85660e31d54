// Static checks: format, lint, types, dependency rules, dead code, the OpenAPI document. `npm run check` runs only
// these, `npm test` runs them concurrently with the first tests. Incremental results are cached below
// node_modules/.cache.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bun, COMPILING, root } from './bun-test.mjs';

const cache = join(root, 'node_modules', '.cache', 'check');

/**
 * The checks, the longest first: name, command, arguments, and a pattern that the output must match.
 *
 * @param checkers concurrent type checkers; each additional one adds a fifth of the work, as it checks shared types again
 */
const checksBy = (checkers) => [
  [
    'types',
    'node',
    [
      'node_modules/typescript/bin/tsc',
      ...['-p', 'tsconfig.base.json', '--checkers', String(checkers)],
      ...['--incremental', '--tsBuildInfoFile', join(cache, 'types.json')],
    ],
  ],
  [
    'dependency rules',
    'node',
    [
      'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
      '--config',
      '.dependency-cruiser.cjs',
      'packages',
      'apps',
    ],
    // Without a TypeScript compiler it would only read the few JavaScript modules, and pass.
    /\(\d{4,} modules/,
  ],
  ['dead code', 'node', ['node_modules/knip/bin/knip.js']],
  ['format and lint', 'node', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']],
  ['OpenAPI document', bun, ['node_modules/@redocly/cli/bin/cli.js', 'lint', 'docs/openapi.json']],
];

const env = {
  ...process.env,
  // As in pnpm's shims, which need sed: what the packages import of each other.
  NODE_PATH: join(root, 'node_modules/.pnpm/node_modules'),
  // No network access and no telemetry.
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  ...COMPILING,
};

/**
 * Runs all checks.
 *
 * @param atOnce most checks that run concurrently
 * @returns the failed checks, each with its output
 */
export async function runChecks(atOnce) {
  mkdirSync(cache, { recursive: true });
  const waiting = checksBy(Math.min(atOnce, 2));
  const failed = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [what, command, args, pattern] = next;
      const started = Date.now();
      const { status, printed } = await run(command, args);
      const passed = status === 0 && (!pattern || pattern.test(printed));
      console.log(`▸ ${what}: ${passed ? 'passed' : 'FAILED'}, ${Math.round((Date.now() - started) / 1000)} s`);
      if (!passed) failed.push({ what, printed });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return failed;
}

async function run(command, args) {
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
  }
  const status = await new Promise((resolve, reject) => child.on('close', resolve).on('error', reject));
  return { status, printed };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const failed = await runChecks(Math.max(2, availableParallelism()));
  for (const { what, printed } of failed) console.error(`\n▸ ${what}\n${printed}`);
  process.exit(failed.length === 0 ? 0 : 1);
}
