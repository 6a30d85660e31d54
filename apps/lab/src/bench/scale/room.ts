import { statSync } from 'node:fs';
import { withClient } from '@postshelf/testing/servers/postgres';
import type { Figure } from '../benchmark.ts';

const MEGABYTE = 1e6;

/** What a filled library takes in PostgreSQL: the rows, and each index of the two large tables. */
export async function roomInPostgres(url: string): Promise<readonly Figure[]> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ name: string; bytes: string }>(
      `select relname || case relkind when 'r' then ' (rows)' else '' end as name, pg_table_size(oid) as bytes
       from pg_class where relkind in ('r', 'i') and pg_table_size(oid) > ${MEGABYTE}
         and relnamespace = 'public'::regnamespace order by relkind desc, relname`,
    ),
  );
  return rows.map(({ name, bytes }) => room(`PostgreSQL: ${name}`, Number(bytes)));
}

export const roomInSqlite = (file: string): Figure => room('SQLite: the whole file', statSync(file).size);

const room = (what: string, bytes: number): Figure => ({ what, value: bytes / MEGABYTE, unit: 'MB' });
