// PostgreSQL and S3 for the tests of several processes: starting both takes seconds of a processor, and most tests only use them.
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bun-test.mjs';

/**
 * By the folders of `.ci` with what starts them: the variable that tells tests of one (packages/testing/src/servers/kept.ts),
 * and that of a server elsewhere, which is used instead.
 */
const SERVERS = {
  postgres: { variable: 'POSTSHELF_TEST_POSTGRES', elsewhere: 'DATABASE_TEST_URL' },
  radosgw: { variable: 'POSTSHELF_TEST_RADOSGW', elsewhere: 'S3_ENDPOINT' },
};

/** Bytes of objects that all tests keep at once, and those that were removed within the last minute. */
const ROOM = { OBJECT_BYTES: String(8 * 1024 ** 3) };

/**
 * Starts those that are installed on this machine; tests find out themselves what else there is.
 *
 * @param folder where they keep their files
 * @returns the environment that leads tests to some of them, and what ends all
 */
export async function shareServers(folder) {
  const started = await Promise.all(
    Object.entries(SERVERS).map(async ([name, { variable, elsewhere }]) => {
      if (process.env[elsewhere]) return null;
      const directory = mkdtempSync(join(folder, `postshelf-${name}-`));
      const child = spawn(join(root, '.ci', 'keep.sh'), [name, directory], {
        env: { ...process.env, ...ROOM },
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      const ended = new Promise((resolve) => child.on('close', resolve).on('error', resolve));
      const isUp = new Promise((resolve) => child.stdout.once('data', () => resolve(true)));
      return (await Promise.race([isUp, ended.then(() => false)])) ? { name, variable, directory, child, ended } : null;
    }),
  );
  const running = started.filter((each) => each !== null);
  return {
    leadingTo: (isWanted) =>
      Object.fromEntries(
        running.filter(({ name }) => isWanted(name)).map(({ variable, directory }) => [variable, directory]),
      ),
    async stop() {
      for (const { child } of running) child.stdin.end();
      await Promise.all(running.map(({ ended }) => ended));
    },
  };
}
