import { type Kysely, sql } from 'kysely';

/** Who reads the files of a workspace, and what its signed links are signed with beside the service's secret. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of COLUMNS) await sql.raw(`alter table workspaces add column ${column}`).execute(db);
}

const COLUMNS = [`links text not null default 'public' check (links in ('public', 'signed'))`, 'link_key text'];
