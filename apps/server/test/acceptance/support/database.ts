import { makeDatabase, realPostgres } from '@postshelf/testing';
import type { Settings } from './server.ts';

/** What the suite is run over: SQLite in the data folder, unless `POSTSHELF_TEST_DATABASE` says `postgres`. */
const isPostgres = process.env.POSTSHELF_TEST_DATABASE === 'postgres';

/** A database of a world's own: the settings that lead to it, and how to be rid of it once nobody uses it. */
export interface WorldDatabase {
  readonly settings: Settings;
  /** Everything that it holds, as text; null where that is in files of the data folder. */
  text(): Promise<string | null>;
  remove(): Promise<void>;
}

export async function databaseOfWorld(): Promise<WorldDatabase> {
  if (!isPostgres) return { settings: {}, text: async () => null, remove: async () => undefined };
  const server = await realPostgres('the API over PostgreSQL');
  if (!server) throw new Error('POSTSHELF_TEST_DATABASE=postgres needs a PostgreSQL server.');
  const { url, text, remove } = await makeDatabase(server);
  return { settings: { DATABASE_URL: url }, text, remove };
}
