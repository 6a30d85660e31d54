import { Client, escapeIdentifier } from 'pg';
import type { RealPostgres } from './real-postgres.ts';

/** A database that only one test uses. */
export interface TestDatabase {
  readonly url: string;
  /** Returns every row of every table, as text. */
  text(): Promise<string>;
  /** Drops the database, and ends all connections to it. */
  remove(): Promise<void>;
}

/** Creates an empty database on the server. */
export async function makeDatabase({ url }: Pick<RealPostgres, 'url'>): Promise<TestDatabase> {
  const name = `postshelf_test_${crypto.randomUUID()}`;
  await runSql(url, `create database ${escapeIdentifier(name)}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    url: own.href,
    text: () => withClient(own.href, textOf),
    remove: () => runSql(url, `drop database if exists ${escapeIdentifier(name)} with (force)`),
  };
}

/** Runs statements directly, without the service. */
export const runSql = (url: string, statements: string): Promise<void> =>
  withClient(url, async (client) => void (await client.query(statements)));

/** Runs work on a new connection. If the server cuts the connection off, only its queries fail. */
export async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function textOf(client: Client): Promise<string> {
  const tables = await client.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const table = escapeIdentifier(name);
    const { rows } = await client.query<{ row: string }>(`select ${table}::text as row from ${table}`);
    for (const { row } of rows) texts.push(`${name} ${row}`);
  }
  return texts.join('\n');
}
