import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { keepRunning } from '../kept.ts';
import type { PostgresServer, RealPostgres } from './real-postgres.ts';
import { withClient } from './test-database.ts';

const SCRIPTS = resolve(import.meta.dir, '../../../../../.ci/postgres');

/** A server by the programs on this machine, for as long as this process lives; null when they aren't there. */
export async function startLocalPostgres(): Promise<RealPostgres | null> {
  const probe = Bun.spawn([join(SCRIPTS, 'run.sh'), 'initdb', '--version'], { stdout: 'pipe', stderr: 'ignore' });
  const version = /\(PostgreSQL\) ([\d.]+)/.exec(await new Response(probe.stdout).text())?.[1];
  if ((await probe.exited) !== 0 || version === undefined) return null;
  const directory = await mkdtemp(join(tmpdir(), 'postshelf-postgres-'));
  const { DATABASE_TEST_URL: url = '' } = await keepRunning(SCRIPTS, directory, 'DATABASE_TEST_URL');
  return { product: `PostgreSQL ${version}`, url, server: serverIn(join(directory, 'cluster/data'), url) };
}

function serverIn(data: string, url: string): PostgresServer {
  return {
    restart: () => control(data, '-m', 'immediate', 'restart'),
    stop: () => control(data, '-m', 'immediate', 'stop'),
    start: () => control(data, 'start'),
    demote: async () => {
      await control(data, '-m', 'fast', 'stop');
      await writeFile(join(data, 'standby.signal'), '');
      await control(data, 'start');
    },
    promote: () => control(data, 'promote'),
    pause: async (database, isPaused) => {
      for (const pid of await pidsOf(url, database)) process.kill(pid, isPaused ? 'SIGSTOP' : 'SIGCONT');
    },
  };
}

/** @throws Error with what it said when it failed */
async function control(data: string, ...words: readonly string[]): Promise<void> {
  const log = join(data, '../log');
  const child = Bun.spawn([join(SCRIPTS, 'run.sh'), 'pg_ctl', '-D', data, '-l', log, '-w', ...words], {
    stdout: 'ignore',
    stderr: 'pipe',
  });
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
}

const pidsOf = (url: string, database: string): Promise<number[]> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity where datname = $1', [
      database,
    ]);
    return rows.map((row) => row.pid);
  });
