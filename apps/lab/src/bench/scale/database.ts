import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '@postshelf/testing/servers/postgres';
import Database from 'better-sqlite3';
import type { Figure } from '../benchmark.ts';
import { spreadOf } from '../in-turn.ts';
import { figure } from '../support/side-by-side.ts';

const MEGABYTE = 1e6;
const ROUNDS = 9;
const COUNT = 'select count(*) as total from media where cover_of is null and workspace_id =';

/**
 * Measures PostgreSQL: how much longer page 1 of a list would take if its total were counted with an index scan, and
 * the sizes of the tables and indexes of a filled library.
 */
export const measurePostgres = (url: string, workspace: string): Promise<readonly Figure[]> =>
  withClient(url, async (client) => {
    const counting = await timed('PostgreSQL', () => client.query(`${COUNT} '${workspace}'`));
    const { rows } = await client.query<{ name: string; bytes: string }>(
      `select relname || case relkind when 'r' then ' (rows)' else '' end as name, pg_table_size(oid) as bytes
       from pg_class where relkind in ('r', 'i') and pg_table_size(oid) > ${MEGABYTE}
         and relnamespace = 'public'::regnamespace order by relkind desc, relname`,
    );
    return [counting, ...rows.map(({ name, bytes }) => sizeOf(`PostgreSQL: ${name}`, Number(bytes)))];
  });

/** Measures the time of the same count in SQLite, and the size of the whole database file. */
export async function measureSqlite(file: string, workspace: string): Promise<readonly Figure[]> {
  const database = new Database(file, { readonly: true });
  try {
    const query = database.prepare(`${COUNT} '${workspace}'`);
    const counting = await timed('SQLite', async () => query.get());
    return [counting, sizeOf('SQLite: the whole file', statSync(file).size)];
  } finally {
    database.close();
  }
}

/** Resolves when the service has built its search index. */
export const postgresIsIndexed = (url: string): Promise<void> =>
  withClient(url, (client) =>
    until(async () => {
      const { rows } = await client.query(
        `select from pg_index where indexrelid = to_regclass('media_search_keys') and indisvalid`,
      );
      return rows.length > 0;
    }),
  );

/** Resolves when the service has built its search index in SQLite. Indexed items have a search number. */
export async function sqliteIsIndexed(file: string): Promise<void> {
  const database = new Database(file, { readonly: true });
  try {
    // Small workspaces are never indexed.
    const left = database.prepare(
      `select 1 from media where search_number is null and cover_of is null and workspace_id in (
        select workspace_id from media_counts group by workspace_id having sum(items) > 5000
      ) limit 1`,
    );
    await until(async () => left.get() === undefined);
  } finally {
    database.close();
  }
}

/**
 * Waits until the condition holds.
 *
 * @throws Error after half an hour
 */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 30 * 60_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('The search index is not there after half an hour.');
    await delay(1000);
  }
}

const sizeOf = (what: string, bytes: number): Figure => ({ what, value: bytes / MEGABYTE, unit: 'MB' });

async function timed(name: string, count: () => Promise<unknown>): Promise<Figure> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await count();
    times.push(performance.now() - start);
  }
  return figure(`${name}: counting the media instead`, spreadOf(times), 'ms');
}
