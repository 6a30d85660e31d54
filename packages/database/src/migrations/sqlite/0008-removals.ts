import { type Kysely, sql } from 'kysely';

/** When the removal of a workspace was begun; from then on the workspace is unknown to everything but the removal. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table workspaces add column removal_begun_at integer').execute(db);
}
