import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type KeptServer, keptServer, SCRIPTS } from '../kept.ts';
import type { PostgresServer, RealPostgres } from './real-postgres.ts';
import { withClient } from './test-database.ts';

const RUN = join(SCRIPTS, 'postgres/run.sh');

/** Starts a server with the programs on this machine; returns null if they aren't installed. */
export async function startLocalPostgres(): Promise<RealPostgres | null> {
  const probe = Bun.spawn([RUN, 'initdb', '--version'], { stdout: 'pipe', stderr: 'ignore' });
  const version = /\(PostgreSQL\) ([\d.]+)/.exec(await new Response(probe.stdout).text())?.[1];
  if ((await probe.exited) !== 0 || version === undefined) return null;
  const kept = await keptServer('postgres');
  const url = kept.settings.DATABASE_TEST_URL ?? '';
  return { product: `PostgreSQL ${version}`, url, server: serverOf(kept, url) };
}

function serverOf({ directory, requireOwn }: KeptServer, url: string): PostgresServer {
  const data = join(directory, 'cluster/data');
  const control = async (...words: readonly string[]): Promise<void> => {
    requireOwn();
    await pgCtl(data, ...words);
  };
  return {
    restart: () => control('-m', 'immediate', 'restart'),
    stop: () => control('-m', 'immediate', 'stop'),
    start: () => control('start'),
    demote: async () => {
      await control('-m', 'fast', 'stop');
      await writeFile(join(data, 'standby.signal'), '');
      await control('start');
    },
    promote: () => control('promote'),
    pause: async (database, isPaused) => {
      for (const pid of await pidsOf(url, database)) process.kill(pid, isPaused ? 'SIGSTOP' : 'SIGCONT');
    },
  };
}

/**
 * Runs pg_ctl.
 *
 * @throws Error with its output if it failed
 */
async function pgCtl(data: string, ...words: readonly string[]): Promise<void> {
  const log = join(data, '../log');
  const child = Bun.spawn([RUN, 'pg_ctl', '-D', data, '-l', log, '-w', ...words], {
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
