// What can be said of the source without running it: format, lint, types, arrows, dead code, the OpenAPI document.
// `npm run check` runs it alone, `npm test` beside the first tests. What was found unchanged is remembered below
// node_modules/.cache.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bun, COMPILING, root } from './bun-test.mjs';

const bin = (name) => join(root, 'node_modules', '.bin', name);
const cache = join(root, 'node_modules', '.cache', 'check');

/**
 * The longest first: what it is, the command, and what it prints when it has looked at all.
 *
 * @param checkers of types at once, which look at many types each for themselves: a fifth of the work for each more
 */
const checksBy = (checkers) => [
  [
    'types',
    bin('tsc'),
    [
      ...['-p', 'tsconfig.base.json', '--checkers', String(checkers)],
      ...['--incremental', '--tsBuildInfoFile', join(cache, 'types.json')],
    ],
  ],
  [
    'arrows between packages',
    bin('depcruise'),
    ['--config', '.dependency-cruiser.cjs', 'packages', 'apps'],
    // Where it finds no compiler it reads the few modules of JavaScript alone, and is content.
    /\(\d{4,} modules/,
  ],
  ['dead code', bin('knip'), []],
  ['format and lint', bin('biome'), ['check', '--error-on-warnings', '.']],
  ['OpenAPI document', bun, ['node_modules/@redocly/cli/bin/cli.js', 'lint', 'docs/openapi.json']],
];

const env = {
  ...process.env,
  // Checks work offline, and tell nobody that they were run.
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  ...COMPILING,
};

/**
 * Runs all checks, some of them side by side.
 *
 * @param atOnce how many
 * @returns those that failed, each with what it printed
 */
export async function runChecks(atOnce) {
  mkdirSync(cache, { recursive: true });
  const waiting = checksBy(Math.min(atOnce, 2));
  const failed = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [what, command, args, sign] = next;
      const started = Date.now();
      const { status, printed } = await run(command, args);
      const passed = status === 0 && (!sign || sign.test(printed));
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
