import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cpuSeconds, type Program, repeatAtOnce, until as untilTrue } from '@postshelf/harness';
import { fixture } from '@postshelf/testing/fixtures';
import { makeDatabase, type RealPostgres, realPostgres, runSql, withClient } from '@postshelf/testing/servers/postgres';
import type { Benchmark, Figure } from '../benchmark.ts';
import { makePhoto } from '../support/bodies.ts';
import { load } from '../support/load.ts';
import { source, sourceOf, startScript, withPrograms } from '../support/program.ts';
import { makeWorkspace, type Service, startService } from '../support/service.ts';
import { figure, type SideBySide, sideBySide, type Worker } from '../support/side-by-side.ts';

const ROUNDS = 7;
const CONNECTIONS = 16;
const SECONDS = 3;
/** Imports of a round, and clients that ask for them. */
const IMPORTS = 150;
const CLIENTS = 16;

const SECRET = 'benchmark-secret-0123456789abcdef0123456789abcdef';

/** One side, and what is asked of it. */
interface Side {
  readonly pid: number;
  readonly root: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly item: string;
  readonly workspace: string;
  /** Whether every import has ended. */
  isDone(): Promise<boolean>;
  helpers(): Promise<number>;
}

export const postgres: Benchmark = {
  about:
    '`postshelf serve` over PostgreSQL with its default pool of 10 connections: an item read by its id, and a photo of 100 KB ' +
    'and a film of some kilobytes imported by URL from a server on loopback, without covers, until every item is `active`. Beside ' +
    "Bun's own server and Bun's own client of PostgreSQL, which reads the same token's row and the same item's, or keeps the " +
    `file, synced, and one row. ${CONNECTIONS} connections, database, client and server on the same cores, so that what counts ` +
    'is the processor time of server and database together. Commits are synced.',

  run: async (progress, beside) => {
    const server = await realPostgres('the benchmark of PostgreSQL');
    if (!server) throw new Error('The benchmark needs a PostgreSQL server (docs/CONTRIBUTING.md, "Tests").');
    await sync(server);
    const figures: Figure[] = [];
    const [one, other] = [await makeDatabase(server), await makeDatabase(server)];
    try {
      await withPrograms(async (folder, until) => {
        progress('starting');
        const ours = await startSide(join(folder, 'ours'), one.url, source, until);
        const limit =
          beside === null
            ? await startBare(join(folder, 'bare'), ours, one.url, until)
            : await startSide(join(folder, 'beside'), other.url, sourceOf(beside), until);
        const name = beside === null ? 'bare' : 'beside';
        progress(`measuring: ${ROUNDS} rounds of reads`);
        figures.push(...figuresOf('reads', name, await sideBySide(ROUNDS, reading(ours), reading(limit))));
        await Bun.write(join(folder, 'photo.jpg'), await makePhoto());
        for (const [what, path, type] of [
          ['photos imported', join(folder, 'photo.jpg'), 'image/jpeg'],
          ['films imported', (await fixture('mp4')).path, 'video/mp4'],
        ] as const) {
          progress(`measuring: ${ROUNDS} rounds of ${what}`);
          const url = await until(
            startScript(join(import.meta.dir, '../imports/origin.ts'), { FILE: path, TYPE: type }),
          );
          const both = await sideBySide(ROUNDS, importing(ours, url.root), importing(limit, url.root));
          figures.push(...figuresOf(what, name, both));
        }
      });
    } finally {
      await one.remove();
      await other.remove();
    }
    return figures;
  },
};

/** The server of tests doesn't sync; what is measured here does, as far as we may say so. */
export async function sync({ server, url }: RealPostgres): Promise<void> {
  if (server === null) return;
  for (const setting of ['fsync', 'full_page_writes']) await runSql(url, `alter system set ${setting} = on`);
  await runSql(url, 'select pg_reload_conf()');
}

type Until = Parameters<Parameters<typeof withPrograms>[0]>[1];

async function startSide(folder: string, url: string, by: Program, until: Until): Promise<Side> {
  const settings = {
    DATA_DIR: folder,
    DATABASE_URL: url,
    JWT_SECRET: SECRET,
    IMPORT_ALLOWED_NETWORKS: '127.0.0.1/32',
    IMPORT_CONCURRENCY_PER_WORKSPACE: '16',
    IMPORT_CONCURRENCY: '16',
    FFMPEG_PATH: '/nowhere/ffmpeg',
  };
  const service = await until(startService(settings, await makeWorkspace(settings), by));
  return {
    ...service,
    item: await firstItem(service),
    isDone: async () => (await countOf(service, 'processing')) === 0,
    helpers: () => backendSeconds(url),
  };
}

async function startBare(folder: string, ours: Side, url: string, until: Until): Promise<Side> {
  await mkdir(folder);
  const bare = await until(
    startScript(join(import.meta.dir, 'bare.ts'), { DATABASE_URL: url, SECRET, FOLDER: folder }),
  );
  const { headers, item, workspace } = ours;
  return { ...bare, headers, item, workspace, isDone: async () => true, helpers: () => backendSeconds(url) };
}

const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

async function firstItem({ root, headers, workspace }: Service): Promise<string> {
  const body = new FormData();
  body.append('files[]', new Blob([PIXEL]), 'pixel.gif');
  const answer = await fetch(`${root}/v1/workspaces/${workspace}/media_contents`, { method: 'POST', headers, body });
  const { data } = (await answer.json()) as { readonly data: readonly { readonly id: string }[] };
  return data[0]?.id ?? '';
}

async function countOf(service: Service, status: string): Promise<number> {
  const list = await service.get(`/workspaces/${service.workspace}/media_contents?per_page=1&status=${status}`);
  return (list as { readonly meta: { readonly total: number } }).meta.total;
}

/** Of the processes that serve the database's connections, which stay for as long as the pool keeps them. */
const backendSeconds = (url: string): Promise<number> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    const each = await Promise.all(rows.map(({ pid }) => cpuSeconds(pid).catch(() => 0)));
    return each.reduce((sum, seconds) => sum + seconds, 0);
  });

const reading = ({ pid, helpers, root, headers, item }: Side): Worker => ({
  pid,
  helpers,
  work: async () => {
    const url = `${root}/v1/media_contents/${item}`;
    const { requests, seconds } = await load(url, { connections: CONNECTIONS, seconds: SECONDS, headers });
    return { done: requests, seconds };
  },
});

const importing = ({ pid, helpers, root, headers, workspace, isDone }: Side, origin: string): Worker => ({
  pid,
  helpers,
  work: async () => {
    const body = JSON.stringify({ url: `${origin}/file` });
    const init = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body };
    await repeatAtOnce(CLIENTS, IMPORTS, async () => {
      const answer = await fetch(`${root}/v1/workspaces/${workspace}/media_contents`, init);
      if (!answer.ok) throw new Error(`An import answered ${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
    });
    await untilTrue('every import has ended', isDone, 60_000);
    return IMPORTS;
  },
});

const figuresOf = (what: string, name: string, { speed, byCpu }: SideBySide): Figure[] => [
  figure(`${what}: ours ÷ ${name}`, speed.ratio, 'ratio'),
  figure(`${what}: ours`, speed.ours, 'per s'),
  figure(`${what}: ${name}`, speed.limit, 'per s'),
  figure(`${what}: ours ÷ ${name}, by CPU time of server and database`, byCpu.ratio, 'ratio'),
  figure(`${what}: ours, by CPU time`, byCpu.ours, 'per s'),
];
