import { type Kysely, sql } from 'kysely';

/** `imports.request_id`: the request that began an import, so that its log lines can be found in any process. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table imports add column request_id text`.execute(db);
}
