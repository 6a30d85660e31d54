import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../waiting/until.ts';
import { freePort } from '../free-port.ts';
import type { RealPostgres } from './real-postgres.ts';

/** PgBouncer in front of a PostgreSQL server. The process belongs to the test. */
export interface PgBouncer {
  /** Returns the address that reaches a database of the server through PgBouncer. */
  through(url: string): string;
  stop(): Promise<void>;
}

/** Runs a command until standard input ends, which happens when this process ends for any reason. */
const KEEP = `trap '' INT TERM HUP; "$@" & cat >/dev/null; kill -KILL $!`;

/** Prefix of PgBouncer's command, because PgBouncer doesn't run as root. */
const AS_NOBODY = ['setpriv', '--reuid', 'nobody', '--regid', 'nogroup', '--clear-groups', '--'];

/**
 * Starts PgBouncer in a pool mode. If it isn't installed, returns null and reports on standard error what is skipped.
 *
 * @param poolSize connections to the server for each database
 * @throws Error if it isn't installed and `CI` is set, because CI must not skip tests
 */
export async function startPgBouncer(
  skipped: string,
  { url }: Pick<RealPostgres, 'url'>,
  mode: 'session' | 'transaction' | 'statement',
  poolSize = 20,
): Promise<PgBouncer | null> {
  const program = Bun.which('pgbouncer') ?? Bun.which('/usr/sbin/pgbouncer');
  if (program === null) {
    const message = `No PgBouncer to test with (apt-get install pgbouncer). SKIPPED: ${skipped}`;
    if (process.env.CI) throw new Error(message);
    process.stderr.write(`\n${message}\n\n`);
    return null;
  }
  const { hostname, port: serverPort, username, password } = new URL(url);
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), 'postshelf-pgbouncer-'));
  const file = join(directory, 'pgbouncer.ini');
  await chmod(directory, 0o755);
  // With `auth_type = any`, every program that can reach PgBouncer on loopback has the same access to the server as the
  // test.
  await writeFile(
    file,
    `[databases]
* = host=${hostname} port=${serverPort || 5432} user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${poolSize}
`,
    { mode: 0o644 },
  );
  const command = [...(process.getuid?.() === 0 ? AS_NOBODY : []), program, '-q', file];
  const keeper = Bun.spawn(['bash', '-c', KEEP, 'keep', ...command], {
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'pipe',
  });
  await until(`PgBouncer answers on port ${port}`, () => answers(port));
  keeper.unref();
  return {
    through: (address) => {
      const own = new URL(address);
      own.host = `127.0.0.1:${port}`;
      return own.href;
    },
    stop: async () => {
      await keeper.stdin.end();
      await keeper.exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
