import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { makeDatabase, realPostgres, withClient } from '@postshelf/testing/servers/postgres';
import type { Settings } from './server.ts';

/** What the suite is run over: SQLite in the data folder, unless `POSTSHELF_TEST_DATABASE` says `postgres`. */
const isPostgres = process.env.POSTSHELF_TEST_DATABASE === 'postgres';

/** Settings of a world whose subject is SQLite in the data folder, whatever the suite is run over. */
export const onSqlite: Settings = { DATABASE_URL: 'sqlite:' };

/** A world's database: the settings that lead to it, a way in behind the service's back, and how to be rid of it. */
export interface WorldDatabase {
  readonly settings: Settings;
  /** Everything that it holds, as text; null where that is in files of the data folder, or a test made it itself. */
  text(): Promise<string | null>;
  /** Runs a statement, and gives how many rows it changed. */
  change(statement: string): Promise<number>;
  remove(): Promise<void>;
}

/** @param settings what the world's own settings say of the database; else the suite's switch does */
export async function databaseOfWorld(dataDir: string, settings: Settings): Promise<WorldDatabase> {
  const given = settings.DATABASE_URL;
  if (given?.startsWith('postgres')) return postgres({}, given, async () => undefined);
  if (given !== undefined || !isPostgres) return sqlite(join(dataDir, 'postshelf.db'));
  const server = await realPostgres('the API over PostgreSQL');
  if (!server) throw new Error('POSTSHELF_TEST_DATABASE=postgres needs a PostgreSQL server.');
  const { url, text, remove } = await makeDatabase(server);
  return { ...postgres({ DATABASE_URL: url }, url, remove), text };
}

const sqlite = (path: string): WorldDatabase => ({
  settings: {},
  text: async () => null,
  change: async (statement) => {
    const database = new Database(path);
    try {
      database.run('pragma busy_timeout = 5000');
      return database.run(statement).changes;
    } finally {
      database.close();
    }
  },
  remove: async () => undefined,
});

const postgres = (settings: Settings, url: string, remove: () => Promise<void>): WorldDatabase => ({
  settings,
  text: async () => null,
  change: (statement) => withClient(url, async (client) => (await client.query(statement)).rowCount ?? 0),
  remove,
});
