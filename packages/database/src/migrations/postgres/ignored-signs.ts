import { type Kysely, sql } from 'kysely';
import { IGNORED_RANGES, LETTERS_WITH_STROKE } from '../ignored-signs.ts';
import { TABLES_WITH_KEYS } from '../punctuation-signs.ts';

/** Rewrites the search keys that have letters with a stroke or characters that show nothing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { from, to } = LETTERS_WITH_STROKE;
  const plain = sql`translate(search_key, ${sql.lit(from)}, ${sql.lit(to)})`;
  const folded = sql`regexp_replace(${plain}, ${sql.lit(`[${IGNORED_RANGES}]`)}, '', 'g')`;
  for (const table of TABLES_WITH_KEYS)
    await sql`update ${sql.table(table)} set search_key = ${folded}
      where search_key ~ ${sql.lit(`[${from}${IGNORED_RANGES}]`)}`.execute(db);
}
