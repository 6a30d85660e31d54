import { type Kysely, sql } from 'kysely';
import { respell } from '../spellings.ts';

/**
 * Time zones are spelled as in the zone database, and search keys are folded without marks and width. Nothing looks for
 * keys that lack tags any more: `media_search_due` stays, empty, for processes of the version before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger media_search_due_insert on media`.execute(db);
  await sql`drop trigger media_search_due_change on media`.execute(db);
  await sql`drop trigger media_search_due_tag on media_tags`.execute(db);
  await sql`drop function media_search_due()`.execute(db);
  await sql`drop function media_search_due_tag()`.execute(db);
  await respell(db, 'uuid');
  await sql`delete from media_search_due`.execute(db);
}
