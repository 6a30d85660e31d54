import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cpuSeconds, type Program } from '@postshelf/harness';
import { withClient } from '@postshelf/testing/servers/postgres';
import { startScript, type withPrograms } from '../support/program.ts';
import { type Service, send, startNewService, uploadUrl } from '../support/service.ts';

const SECRET = 'benchmark-secret-0123456789abcdef0123456789abcdef';

/** One side of the comparison, and the requests that are sent to it. */
export interface Side {
  readonly pid: number;
  readonly root: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly item: string;
  readonly workspace: string;
  /** Whether every import has ended. */
  isDone(): Promise<boolean>;
  /** Returns the processor time, in seconds, that the database's processes have used. */
  helperSeconds(): Promise<number>;
}

type Until = Parameters<Parameters<typeof withPrograms>[0]>[1];

/** Starts the service with an empty database. */
export async function startSide(folder: string, url: string, by: Program, until: Until): Promise<Side> {
  const settings = {
    DATA_DIR: folder,
    DATABASE_URL: url,
    JWT_SECRET: SECRET,
    IMPORT_ALLOWED_NETWORKS: '127.0.0.1/32',
    IMPORT_CONCURRENCY_PER_WORKSPACE: '16',
    IMPORT_CONCURRENCY: '16',
    FFMPEG_PATH: '/nowhere/ffmpeg',
  };
  const service = await until(startNewService(settings, by));
  return {
    ...service,
    item: await firstItem(service),
    isDone: async () => (await countOf(service, 'processing')) === 0,
    helperSeconds: () => backendSeconds(url),
  };
}

/** Starts the bare server, which uses the service's tables and item. */
export async function startBare(folder: string, ours: Side, url: string, until: Until): Promise<Side> {
  await mkdir(folder);
  const bare = await until(
    startScript(join(import.meta.dir, 'bare.ts'), { DATABASE_URL: url, SECRET, FOLDER: folder }),
  );
  const { headers, item, workspace } = ours;
  return { ...bare, headers, item, workspace, isDone: async () => true, helperSeconds: () => backendSeconds(url) };
}

const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

async function firstItem(service: Service): Promise<string> {
  const body = new FormData();
  body.append('files[]', new Blob([PIXEL]), 'pixel.gif');
  const answer = await send(uploadUrl(service), service.headers, body);
  const { data } = answer as { readonly data: readonly { readonly id: string }[] };
  return data[0]?.id ?? '';
}

async function countOf(service: Service, status: string): Promise<number> {
  const list = await service.get(`/workspaces/${service.workspace}/media_contents?per_page=1&status=${status}`);
  return (list as { readonly meta: { readonly total: number } }).meta.total;
}

/**
 * Returns the processor time, in seconds, of the backend processes of the database's connections. A backend lives as
 * long as the pool keeps its connection, so no backend ends during a round. The time of a backend that ended would be
 * missing from the sum.
 */
export const backendSeconds = (url: string): Promise<number> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    const each = await Promise.all(rows.map(({ pid }) => cpuSeconds(pid).catch(() => 0)));
    return each.reduce((sum, seconds) => sum + seconds, 0);
  });
