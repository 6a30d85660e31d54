import { type Kysely, sql } from 'kysely';

/**
 * What is known of an item's previews: whether decoding has failed for good, and a picture to be shown until they are there.
 * Those with `due_at` are to be made ahead of the asking, not before that time. Items of earlier programs have no row.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table previews (
    media_id text primary key references media (id) on delete cascade,
    has_failed integer not null default 0 check (has_failed in (0, 1)),
    placeholder text check (placeholder is null or has_failed = 0),
    due_at integer,
    faults integer not null default 0 check (faults >= 0)
  ) strict`,
  `create index previews_due on previews (due_at) where due_at is not null`,
];
