import { type Kysely, sql } from 'kysely';

/**
 * What the database knows of its library: one row, or none before the first start. `generation` counts collections of
 * garbage, and the storage keeps the last one; `restored_at` is set while the rows are those of a backup and nobody has
 * said that objects without a row may go.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table library (
    id text primary key,
    born_at integer not null,
    generation integer not null check (generation >= 0),
    restored_at integer,
    storage_marked_at integer,
    secret_fingerprint text
  ) strict`,
  'create unique index library_is_one on library ((id is not null))',
];
