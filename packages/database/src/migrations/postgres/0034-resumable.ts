import { type Kysely, sql } from 'kysely';

/**
 * Uploads in several requests. While they are unfinished they are presigned uploads, too, of no type; they stay after that,
 * for clients that ask what became of them, whatever happens to the item.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table resumable_uploads (
    media_id uuid primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    size bigint not null check (size > 0),
    received bigint not null check (received between 0 and size),
    metadata text not null,
    last_byte_at bigint not null
  )`,
  'create index resumable_uploads_of_workspaces on resumable_uploads (workspace_id)',
  'create index resumable_uploads_oldest on resumable_uploads (last_byte_at)',
  `create table resumable_pieces (
    media_id uuid not null references resumable_uploads (media_id) on delete cascade,
    start bigint not null,
    size bigint not null check (size > 0),
    name text not null,
    primary key (media_id, start)
  )`,
];
