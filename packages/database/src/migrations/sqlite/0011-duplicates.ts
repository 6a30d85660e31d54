import { type Kysely, sql } from 'kysely';

/**
 * What clients say of a file before its bytes are known, beside what waits for it; and ids that were given out for a file
 * which the workspace had already: each stands for that item until `expires_at`, and goes with it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const terms = (table: string): string[] => [
  `alter table ${table} add column sha256 text`,
  `alter table ${table} add column on_duplicate text not null default 'keep'
    check (on_duplicate in ('keep', 'return'))`,
];

const STATEMENTS = [
  ...terms('imports'),
  ...terms('presigned_uploads'),
  `create table duplicates (
    id text primary key,
    media_id text not null references media (id) on delete cascade,
    expires_at integer not null
  ) strict`,
  `create index duplicates_of_media on duplicates (media_id)`,
  `create index duplicates_expiry on duplicates (expires_at)`,
];
