import { type Kysely, sql } from 'kysely';

/** Whether coordinates are taken out of a workspace's new files; null: as the service does by default. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw('alter table workspaces add column strip_location smallint check (strip_location in (0, 1))')
    .execute(db);
}
