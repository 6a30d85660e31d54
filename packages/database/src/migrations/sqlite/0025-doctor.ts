import { type Kysely, sql } from 'kysely';

/** When the last whole backup and the last `verify` without a problem began; null: never. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['backed_up_at', 'verified_at'])
    await sql.raw(`alter table library add column ${column} integer`).execute(db);
}
