import { join } from 'node:path';
import type { Entry } from '@postshelf/harness';
import { fixture } from '@postshelf/testing/fixtures';
import { makeDatabase, type RealPostgres } from '@postshelf/testing/servers/postgres';
import type { Benchmark, Figure } from '../benchmark.ts';
import { withFolder, withPrograms } from '../support/program.ts';
import { makeWorkspace, type Service, startService } from '../support/service.ts';
import { syncedPostgres } from '../support/synced-postgres.ts';
import { measurePostgres, measureSqlite, postgresIsIndexed, sqliteIsIndexed } from './database.ts';
import { fillPostgres, fillSqlite, ROWS } from './library.ts';
import { measureLists } from './lists.ts';
import { measureProcesses } from './processes.ts';
import { measureUpload, measureWrites } from './writes.ts';

export const scale: Benchmark = {
  about:
    `Lists of a workspace with ${ROWS.toLocaleString('en-US')} media, as many folders and as many posts over a year. One \`postshelf serve\` ` +
    'over either database answers request after request; HTTP, token and JSON are included, and totals are exact. Also measured: ' +
    'the size of these rows, how much longer an insert takes because of the indices and counts of lists, and the work of 1, 2 ' +
    'and 4 × `serve` over one PostgreSQL and one folder, which import videos of some kilobytes from a server on the same machine, ' +
    'without covers, and read single items. Commits are synced. Clients, database and servers share the same cores, so more ' +
    'processes do not have more of them: the figure by CPU time says what each additional process costs.',

  run: async (progress) => {
    const postgres = await syncedPostgres('the benchmark of scale');
    const figures: Figure[] = [];
    await withFolder(async (folder) => {
      progress(`SQLite: making ${3 * ROWS} rows`);
      const settings = { DATA_DIR: folder };
      const [entry, file] = [await makeWorkspace(settings), join(folder, 'postshelf.db')];
      fillSqlite(file, entry.workspace);
      const service = await startService(settings, entry);
      let upload: number;
      try {
        progress('SQLite: waiting for the search index');
        await sqliteIsIndexed(file);
        progress('SQLite: measuring lists');
        figures.push(...(await measureLists('SQLite', service)));
        figures.push(...(await measureSqlite(file, entry.workspace)));
        progress('SQLite: measuring writes');
        upload = await measureUpload(service);
      } finally {
        await service.end();
      }
      figures.push(...(await measureWrites(file, entry.workspace, upload)));
    });
    await withDatabase(postgres, async (settings, entry, start) => {
      progress(`PostgreSQL: making ${3 * ROWS} rows`);
      await fillPostgres(settings.DATABASE_URL, entry.workspace);
      const service = await start();
      progress('PostgreSQL: waiting for the search index');
      await postgresIsIndexed(settings.DATABASE_URL);
      progress('PostgreSQL: measuring lists');
      figures.push(...(await measureLists('PostgreSQL', service)));
      figures.push(...(await measurePostgres(settings.DATABASE_URL, entry.workspace)));
    });
    await withDatabase(postgres, async (_settings, _entry, start) => {
      progress('1, 2 and 4 processes over PostgreSQL');
      figures.push(...(await measureProcesses(start, (await fixture('mp4')).path)));
    });
    return figures;
  },
};

type Use = (settings: { readonly DATABASE_URL: string }, entry: Entry, start: () => Promise<Service>) => Promise<void>;

async function withDatabase(postgres: RealPostgres, use: Use): Promise<void> {
  const { url, remove } = await makeDatabase(postgres);
  try {
    await withPrograms(async (folder, until) => {
      const settings = { ...FOR_IMPORTS, DATA_DIR: folder, DATABASE_URL: url };
      const entry = await makeWorkspace(settings);
      await use(settings, entry, () => until(startService(settings, entry)));
    });
  } finally {
    await remove();
  }
}

/** Allows imports from the origin on this machine, and disables making covers, which would take most of the time. */
const FOR_IMPORTS = {
  IMPORT_ALLOWED_NETWORKS: '127.0.0.1/32',
  IMPORT_CONCURRENCY_PER_WORKSPACE: '16',
  IMPORT_CONCURRENCY: '16',
  FFMPEG_PATH: '/nowhere/ffmpeg',
};
