// Static checks: `npm run check` runs all of them, `npm test` runs them alongside the tests. Incremental results are
// cached below node_modules/.cache.
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const execute = promisify(execFile);
const bun = join(root, 'node_modules/bun/bin/bun.exe');
const state = 'node_modules/.cache/check/types.json';
const CRUISER = 'dependency-cruiser/bin/dependency-cruise.mjs';

/**
 * The checks, the slowest first. Each has a name, a command and options: `runtime` is the program that runs the
 * command, and `pattern` must match the command's output.
 *
 * @param checkers the number of concurrent type checkers. Each additional checker increases the total work by a fifth,
 *   because every checker checks the shared types again.
 */
const checksBy = (checkers) => [
  [
    'types',
    `.dev/node_modules/typescript/bin/tsc -p tsconfig.base.json --checkers ${checkers} --incremental --tsBuildInfoFile ${state}`,
  ],
  // Without a TypeScript compiler, dependency-cruiser reads only the few JavaScript modules, and succeeds. The pattern
  // requires at least a thousand modules, so that the check fails in that case.
  [
    'dependency rules',
    `.dev/node_modules/${CRUISER} --config .dependency-cruiser.cjs packages apps`,
    { pattern: /\(\d{4,} modules/ },
  ],
  ['dead code', '.dev/node_modules/knip/bin/knip.js'],
  ['format and lint', '.dev/node_modules/@biomejs/biome/bin/biome check --error-on-warnings .'],
  ['licenses', '.dev/notices.mjs --check'],
  // Redocly runs in Bun, because it refuses to run on early releases of Node 20.
  ['OpenAPI document', '.dev/node_modules/@redocly/cli/bin/cli.js lint docs/openapi.json', { runtime: bun }],
];

const env = {
  ...process.env,
  // With this path, the tools find packages that they import without declaring a dependency. pnpm's shims set the same
  // path, but they aren't used here, because they need sed.
  NODE_PATH: join(root, 'node_modules/.pnpm/node_modules'),
  // Disables telemetry and the check for updates, which use the network.
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  // TypeScript's compiler is written in Go. A short run takes a third less time without garbage collection.
  GOGC: 'off',
  GOMEMLIMIT: '2GiB',
};

/**
 * Runs all checks.
 *
 * @param atOnce the maximum number of concurrent checks
 * @returns the failed checks, each with its output
 */
export async function runChecks(atOnce) {
  mkdirSync(dirname(join(root, state)), { recursive: true });
  const waiting = checksBy(Math.min(atOnce, 2));
  const failed = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [what, command, { pattern, runtime = process.execPath } = {}] = next;
      const started = Date.now();
      const { status, printed } = await run(runtime, command.split(' '));
      const passed = status === 0 && (!pattern || pattern.test(printed));
      console.log(`▸ ${what}: ${passed ? 'passed' : 'FAILED'}, ${Math.round((Date.now() - started) / 1000)} s`);
      if (!passed) failed.push(`${what}\n${printed}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return failed;
}

function run(program, args) {
  return execute(program, args, { cwd: root, env, maxBuffer: 1e8 }).then(
    ({ stdout, stderr }) => ({ status: 0, printed: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ status: code, printed: `${stdout}${stderr}` }),
  );
}

/**
 * Returns the commit subjects that break the rule for subjects in docs/CONTRIBUTING.md. It checks the commits since the
 * last release or, if there is no release, the last hundred.
 */
async function oddSubjects() {
  const release = await run('git', ['describe', '--tags', '--abbrev=0']);
  const range = release.status === 0 ? [`${release.printed.trim()}..HEAD`] : ['-100'];
  const { status, printed } = await run('git', ['log', '--no-merges', '--format=%s', ...range]);
  if (status !== 0) return [];
  return printed.split('\n').filter((subject) => subject !== '' && !/^(?=.{1,72}$)[a-z][\w./-]*: \S/.test(subject));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const failed = await runChecks(Math.max(2, availableParallelism()));
  for (const each of failed) console.error(`\n▸ ${each}`);
  for (const subject of await oddSubjects())
    console.error(`▸ a commit's subject is not "area: summary" of 72 characters: ${subject}`);
  process.exit(failed.length === 0 ? 0 : 1);
}
