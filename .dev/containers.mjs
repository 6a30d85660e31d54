// `npm run test:containers`: builds the image of docs/deploy, tests it in the setup of docs/deploy/compose.yaml, and
// runs the contract tests for PostgreSQL and S3 with servers in containers. This needs a container engine. If no engine
// is running and the user is root, the script starts one that was installed from Debian's packages, and stops it at the
// end. That engine doesn't pull images from a registry; its images are built from Debian's packages.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const scripts = join(root, '.ci', 'containers');
const cache = join(root, 'node_modules', '.cache', 'containers');
const args = process.argv.slice(2);

/** Names of the images that this script builds and tests. No other image has these names, so none is replaced. */
const BUILT = 'postshelf-test/built';
const RELEASED = 'postshelf-test/released';

const engine = answers(process.env) ? { environment: {}, isOwn: false, stop: () => {} } : await startEngine();
if (engine === null) process.exit(process.env.CI ? 1 : 0);
const environment = { ...process.env, ...engine.environment };
try {
  if (engine.isOwn) must('images of Debian packages', 'bash', [join(scripts, 'images.sh'), join(cache, 'downloads')]);
  buildImages();
  const own = {
    POSTSHELF_TEST_S3_IMAGE: 'postshelf-test/radosgw',
    // Disables Ryuk, the container with which testcontainers cleans up after a killed run. The engine that this script
    // starts cleans up when it stops.
    TESTCONTAINERS_RYUK_DISABLED: 'true',
    // Without this, testcontainers would connect to the bridge's address, where the containers' ports aren't published.
    TESTCONTAINERS_HOST_OVERRIDE: '127.0.0.1',
  };
  process.exitCode = timed(
    'tests',
    process.execPath,
    [join(root, '.dev', 'test.mjs'), '--suite', 'containers', ...args],
    { ...(engine.isOwn ? own : {}), POSTSHELF_TEST_BUILT: BUILT, POSTSHELF_TEST_RELEASED: RELEASED },
  );
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await engine.stop();
}

/** Builds the image from the Dockerfile, and a second image from the program in dist, as is done for a release. */
function buildImages() {
  const commit = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout.trim();
  const build = ['build', '--file', 'docs/deploy/Dockerfile', ...(engine.isOwn ? ['--network', 'host'] : [])];
  must('the image', 'docker', [...build, '--build-arg', `COMMIT=${commit}`, '--tag', BUILT, '.']);
  const folder = mkdtempSync(join(tmpdir(), 'postshelf-image-'));
  try {
    mkdirSync(join(folder, 'src', 'dist'), { recursive: true });
    for (const name of ['postshelf', 'THIRD_PARTY_NOTICES'])
      cpSync(join(root, 'dist', name), join(folder, 'src', 'dist', name));
    must('the image of a release', 'docker', [...build, '--build-context', `build=${folder}`, '--tag', RELEASED, '.']);
  } finally {
    rmSync(folder, { recursive: true });
  }
  const format = ['--format', '{{.Size}}'];
  const { stdout } = spawnSync('docker', ['image', 'inspect', BUILT, ...format], {
    env: environment,
    encoding: 'utf8',
  });
  console.log(`▸ the image has ${Math.round(Number(stdout) / 1e6)} MB`);
}

/**
 * Starts the engine that `.ci/containers/install` has installed. If no engine can be started, prints why and returns
 * null.
 */
async function startEngine() {
  const needed =
    process.getuid?.() !== 0
      ? 'No container engine answers, and only root can start one.'
      : existsSync(join(cache, 'programs', '.installed'))
        ? null
        : 'No container engine answers. On Debian 12 `bash .ci/containers/install` gets one of its packages.';
  if (needed !== null) {
    console.error(
      `\n${needed} SKIPPED: docs/deploy in containers, and the contracts of PostgreSQL and S3 in containers\n`,
    );
    return null;
  }
  const child = spawn(join(root, '.ci', 'keep.sh'), ['containers', join(cache, 'engine')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const printed = await Promise.race([new Promise((resolve) => child.stdout.once('data', resolve)), ended]);
  const settings = [...String(printed).matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  if (settings.length === 0) throw new Error('The container engine did not start; the lines above say why.');
  const stop = async () => {
    child.stdin.end();
    await ended;
  };
  return { environment: Object.fromEntries(settings), isOwn: true, stop };
}

function answers(env) {
  return spawnSync('docker', ['info', '--format', '{{.ServerVersion}}'], { env, stdio: 'ignore' }).status === 0;
}

/** Runs a program, prints how long it took, and returns its exit code. */
function timed(what, program, options, more = {}) {
  const started = Date.now();
  const { status } = spawnSync(program, options, { cwd: root, env: { ...environment, ...more }, stdio: 'inherit' });
  console.log(`▸ ${what}: ${status === 0 ? '' : 'FAILED, '}${Math.round((Date.now() - started) / 1000)} s`);
  return status ?? 1;
}

/** Runs a program. @throws Error if it fails */
function must(...of) {
  if (timed(...of) !== 0) throw new Error(`${of[0]} failed; the lines above say why.`);
}
