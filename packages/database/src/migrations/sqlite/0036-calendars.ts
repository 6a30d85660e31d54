import { type Kysely, sql } from 'kysely';

/** Addresses at which suggested times are read. They end with their workspace or profile. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table calendars (
    id text primary key,
    workspace_id text not null references workspaces (id) on delete cascade,
    profile_id text references profiles (id) on delete cascade,
    count integer not null check (count > 0),
    min_gap_minutes integer not null check (min_gap_minutes >= 0),
    exclude text,
    hash text not null,
    created_at integer not null
  ) strict, without rowid`.execute(db);
  await sql`create index calendars_latest on calendars (workspace_id, created_at, id)`.execute(db);
  await sql`create index calendars_of_profiles on calendars (profile_id) where profile_id is not null`.execute(db);
}
