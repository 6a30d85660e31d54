import { join } from 'node:path';
import { fixture } from '@postshelf/testing/fixtures';
import { makeDatabase, type RealPostgres, realPostgres, runSql } from '@postshelf/testing/servers/postgres';
import type { Benchmark, Figure } from '../benchmark.ts';
import { withFolder } from '../support/program.ts';
import { countingInPostgres, countingInSqlite } from './counting.ts';
import { fillPostgres, fillSqlite, ROWS } from './library.ts';
import { measureLists } from './lists.ts';
import { measureProcesses } from './processes.ts';
import { roomInPostgres, roomInSqlite } from './room.ts';
import { openShelf, type Shelf, serveShelf, stopAll } from './shelf.ts';

export const scale: Benchmark = {
  about:
    `Lists of a workspace with ${ROWS.toLocaleString('en-US')} media and as many posts, from one \`postshelf serve\` over either ` +
    'database, request after request (HTTP, token and JSON included; totals are exact); what those rows take; and what 1, 2 ' +
    'and 4 × `serve` over one PostgreSQL and one folder do at once: films of some kilobytes imported from a server on loopback, ' +
    'without covers, and single items read. Commits are synced. Clients, database and servers share the same cores, so that ' +
    'more processes have no more of them: the figure by CPU time says what a process costs beside others.',

  run: async (progress) => {
    const postgres = await realPostgres('the benchmark of scale');
    if (!postgres) throw new Error('The benchmark needs a PostgreSQL server (docs/CONTRIBUTING.md, "Tests").');
    await sync(postgres);
    const figures: Figure[] = [];
    await withFolder(async (folder) => {
      progress(`SQLite: making ${2 * ROWS} rows`);
      const shelf = await openShelf({ DATA_DIR: folder });
      fillSqlite(join(folder, 'postshelf.db'), shelf.workspace);
      progress('SQLite: measuring lists');
      const file = join(folder, 'postshelf.db');
      figures.push(
        ...(await listsOf('SQLite', shelf)),
        await countingInSqlite(file, shelf.workspace),
        roomInSqlite(file),
      );
    });
    await withDatabase(postgres, async (shelf) => {
      progress(`PostgreSQL: making ${2 * ROWS} rows`);
      const url = shelf.settings.DATABASE_URL ?? '';
      await fillPostgres(url, shelf.workspace);
      progress('PostgreSQL: measuring lists');
      figures.push(...(await listsOf('PostgreSQL', shelf)), await countingInPostgres(url, shelf.workspace));
      figures.push(...(await roomInPostgres(url)));
    });
    await withDatabase(postgres, async (shelf) => {
      progress('1, 2 and 4 processes over PostgreSQL');
      figures.push(...(await measureProcesses(shelf, (await fixture('mp4')).path)));
    });
    return figures;
  },
};

/** The server of tests doesn't sync; what is measured here does, as far as we may say so. */
async function sync({ server, url }: RealPostgres): Promise<void> {
  if (server === null) return;
  for (const setting of ['fsync', 'full_page_writes']) await runSql(url, `alter system set ${setting} = on`);
  await runSql(url, 'select pg_reload_conf()');
}

async function withDatabase(postgres: RealPostgres, use: (shelf: Shelf) => Promise<void>): Promise<void> {
  const { url, remove } = await makeDatabase(postgres);
  try {
    await withFolder(async (folder) => use(await openShelf({ ...FOR_IMPORTS, DATA_DIR: folder, DATABASE_URL: url })));
  } finally {
    await remove();
  }
}

/** The origin is on loopback, and covers would be all that is measured. */
const FOR_IMPORTS = {
  IMPORT_ALLOWED_NETWORKS: '127.0.0.1/32',
  IMPORT_CONCURRENCY_PER_WORKSPACE: '16',
  IMPORT_CONCURRENCY: '16',
  FFMPEG_PATH: '/nowhere/ffmpeg',
};

async function listsOf(name: string, shelf: Shelf): Promise<readonly Figure[]> {
  const running = await serveShelf(shelf, 1);
  try {
    const [served] = running;
    return served ? await measureLists(name, shelf, served) : [];
  } finally {
    await stopAll(running);
  }
}
