// Starts the PostgreSQL and S3 servers that all processes of `npm test` share, because starting both takes seconds of
// processor time.
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const KEEP = fileURLToPath(new URL('../.ci/keep.sh', import.meta.url));

/**
 * For each server: the folder in `.ci` with its start script, the variable that passes its directory to the tests
 * (packages/testing/src/servers/kept.ts), and the variable that names an external server to use instead.
 */
const SERVERS = [
  ['postgres', 'POSTSHELF_TEST_POSTGRES', 'DATABASE_TEST_URL'],
  ['radosgw', 'POSTSHELF_TEST_RADOSGW', 'S3_ENDPOINT'],
];

/** Maximum bytes of all objects that tests store at the same time, including those removed within the last minute. */
const STORE_SIZE = { OBJECT_BYTES: String(8 * 1024 ** 3) };

/**
 * Starts the servers that are installed on this machine. If a server isn't installed, the tests look for a replacement
 * themselves.
 *
 * @param folder the parent of the servers' directories
 * @returns `environment`, the variables with which tests find the started servers; `areAll`, whether both servers are
 *   available, whether started here or external; and `stop`, which stops the servers that were started here
 */
export async function shareServers(folder) {
  const missing = SERVERS.filter(([, , external]) => !process.env[external]);
  const started = await Promise.all(missing.map(([name, variable]) => start(name, variable, folder)));
  const running = started.filter((each) => each !== null);
  return {
    environment: Object.fromEntries(running.map(({ variable, directory }) => [variable, directory])),
    areAll: running.length === missing.length,
    async stop() {
      for (const { child } of running) child.stdin.end();
      await Promise.all(running.map(({ ended }) => ended));
    },
  };
}

async function start(name, variable, folder) {
  const directory = mkdtempSync(join(folder, `postshelf-${name}-`));
  const env = { ...process.env, ...STORE_SIZE };
  const child = spawn(KEEP, [name, directory], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => child.on('close', resolve).on('error', resolve));
  const isUp = new Promise((resolve) => child.stdout.once('data', () => resolve(true)));
  return (await Promise.race([isUp, ended.then(() => false)])) ? { variable, directory, child, ended } : null;
}
