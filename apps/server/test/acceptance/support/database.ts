import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { makeDatabase, realPostgres, withClient } from '@postshelf/testing/servers/postgres';
import type { Settings } from './server.ts';

/** Whether the suite uses PostgreSQL (`POSTSHELF_TEST_DATABASE=postgres`) instead of SQLite in the data folder. */
const isPostgres = process.env.POSTSHELF_TEST_DATABASE === 'postgres';

/** Settings for tests of SQLite itself: SQLite in the data folder, whatever database the suite uses. */
export const onSqlite: Settings = { DATABASE_URL: 'sqlite:' };

/** A world's database: the service's settings for it, and access that bypasses the service. */
export interface WorldDatabase {
  readonly settings: Settings;
  /**
   * The whole content of the database as text, if the world created a PostgreSQL database; null for SQLite, and for a
   * database that the settings name.
   */
  text(): Promise<string | null>;
  /** Runs a statement. @returns the number of changed rows */
  change(statement: string): Promise<number>;
  /** Runs a query. @returns the first column of its rows as text */
  column(query: string): Promise<string[]>;
  /** Copies a row. @param changed for each copy, the new values of the columns that differ */
  copy(table: string, where: string, changed: readonly Readonly<Record<string, string>>[]): Promise<void>;
  remove(): Promise<void>;
}

/** @param settings the settings of the world; if they don't set `DATABASE_URL`, the suite's database is used */
export async function databaseOfWorld(dataDir: string, settings: Settings): Promise<WorldDatabase> {
  const given = settings.DATABASE_URL;
  if (given?.startsWith('postgres')) return postgres({}, given, async () => undefined);
  if (given !== undefined || !isPostgres) return sqlite(join(dataDir, 'postshelf.db'));
  const server = await realPostgres('the API over PostgreSQL');
  if (!server) throw new Error('POSTSHELF_TEST_DATABASE=postgres needs a PostgreSQL server.');
  const { url, text, remove } = await makeDatabase(server);
  return { ...postgres({ DATABASE_URL: url }, url, remove), text };
}

function withSqlite<T>(path: string, work: (database: Database) => T): T {
  const database = new Database(path);
  try {
    database.run('pragma busy_timeout = 60000');
    return work(database);
  } finally {
    database.close();
  }
}

function sqlite(path: string): WorldDatabase {
  const change = async (statement: string) => withSqlite(path, (database) => database.run(statement).changes);
  const column = async (query: string) =>
    withSqlite(path, (database) =>
      database
        .query(query)
        .values()
        .map(([first]) => `${first}`),
    );
  return {
    settings: {},
    text: async () => null,
    change,
    column,
    copy: async (table, where, changed) => {
      const columns = await column(`select name from pragma_table_info('${table}')`);
      await change(copies(table, columns, where, changed));
    },
    remove: async () => undefined,
  };
}

function postgres(settings: Settings, url: string, remove: () => Promise<void>): WorldDatabase {
  const change = (statement: string) =>
    withClient(url, async (client) => (await client.query(statement)).rowCount ?? 0);
  const column = (query: string) =>
    withClient(url, async (client) => {
      const { rows } = await client.query<unknown[]>({ text: query, rowMode: 'array' });
      return rows.map(([first]) => `${first}`);
    });
  return {
    settings,
    text: async () => null,
    change,
    column,
    copy: async (table, where, changed) => {
      const stored = `table_name = '${table}' and is_generated = 'NEVER'`;
      const columns = await column(`select column_name from information_schema.columns where ${stored}`);
      await change(copies(table, columns, where, changed));
    },
    remove,
  };
}

/** Statements that both kinds of database accept. A literal takes the type of its column. */
function copies(
  table: string,
  columns: readonly string[],
  where: string,
  changed: readonly Readonly<Record<string, string>>[],
): string {
  const statements = changed.map((texts) => {
    const values = columns.map((name) => (texts[name] === undefined ? name : `'${texts[name]}'`));
    return `insert into ${table} (${columns}) select ${values} from ${table} where ${where}`;
  });
  return ['begin', ...statements, 'commit'].join(';\n');
}
