import { type Kysely, sql } from 'kysely';
import { respell } from '../spellings.ts';

/**
 * Time zones are spelled as in the zone database, and search keys are folded without marks and width. Nothing looks for
 * keys that lack tags any more: `media_search_due` stays, empty, for processes of the version before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const trigger of ['insert', 'change', 'tag'])
    await sql`drop trigger ${sql.raw(`media_search_due_${trigger}`)}`.execute(db);
  await respell(db, 'text');
  await sql`delete from media_search_due`.execute(db);
}
