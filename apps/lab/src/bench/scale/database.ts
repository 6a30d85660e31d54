import { statSync } from 'node:fs';
import { withClient } from '@postshelf/testing/servers/postgres';
import Database from 'better-sqlite3';
import type { Figure } from '../benchmark.ts';
import { spreadOf } from '../in-turn.ts';
import { figure } from '../support/side-by-side.ts';

const MEGABYTE = 1e6;
const ROUNDS = 9;
const COUNT = 'select count(*) as total from media where cover_of is null and workspace_id =';

/**
 * Of PostgreSQL: what page 1 would take more if its total were counted by the index, and what a filled library takes, the
 * rows and each index of the two large tables.
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

/** The same of SQLite, whose file is one. */
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
