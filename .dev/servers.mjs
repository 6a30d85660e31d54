// PostgreSQL and S3 that several test processes share, as starting both takes seconds of processor time.
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bun-test.mjs';

/**
 * By the folders of their start scripts in `.ci`: the variable that passes a server's directory to the tests
 * (packages/testing/src/servers/kept.ts), and the variable of an external server, which is used instead.
 */
const SERVERS = {
  postgres: { variable: 'POSTSHELF_TEST_POSTGRES', external: 'DATABASE_TEST_URL' },
  radosgw: { variable: 'POSTSHELF_TEST_RADOSGW', external: 'S3_ENDPOINT' },
};

/** Bytes of all objects that tests store at the same time, and of those removed within the last minute. */
const STORE_SIZE = { OBJECT_BYTES: String(8 * 1024 ** 3) };

/**
 * Starts the servers that are installed on this machine. Tests look for alternatives to the others themselves.
 *
 * @param folder the parent of the servers' directories
 * @returns `environmentFor`, which returns the environment with which tests use the wanted servers, and `stop` for all
 */
export async function shareServers(folder) {
  const started = await Promise.all(
    Object.entries(SERVERS).map(async ([name, { variable, external }]) => {
      if (process.env[external]) return null;
      const directory = mkdtempSync(join(folder, `postshelf-${name}-`));
      const child = spawn(join(root, '.ci', 'keep.sh'), [name, directory], {
        env: { ...process.env, ...STORE_SIZE },
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      const ended = new Promise((resolve) => child.on('close', resolve).on('error', resolve));
      const isUp = new Promise((resolve) => child.stdout.once('data', () => resolve(true)));
      return (await Promise.race([isUp, ended.then(() => false)])) ? { name, variable, directory, child, ended } : null;
    }),
  );
  const running = started.filter((each) => each !== null);
  return {
    environmentFor: (isWanted) =>
      Object.fromEntries(
        running.filter(({ name }) => isWanted(name)).map(({ variable, directory }) => [variable, directory]),
      ),
    async stop() {
      for (const { child } of running) child.stdin.end();
      await Promise.all(running.map(({ ended }) => ended));
    },
  };
}
