import { type Kysely, sql } from 'kysely';

const ARCHIVES = [
  // Selections of media that links offer as ZIP files. `media_ids`: a JSON array, in the order of the files. The ids of
  // items that were deleted since stay in it.
  `create table archives (
    id text primary key,
    workspace_id text not null references workspaces (id) on delete cascade,
    media_ids text not null,
    expires_at integer not null
  ) strict`,
  'create index archives_of_workspaces on archives (workspace_id, expires_at)',
  'create index archives_due on archives (expires_at)',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of ARCHIVES) await sql.raw(statement).execute(db);
}
