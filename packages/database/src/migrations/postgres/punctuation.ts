import { type Kysely, sql } from 'kysely';
import { PUNCTUATION_SIGNS, TABLES_WITH_KEYS } from '../punctuation-signs.ts';

/** Rewrites the search keys with typographic quotes and dashes, which searches equate with those in ASCII. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const from = sql.lit(PUNCTUATION_SIGNS.map(([, signs]) => signs).join(''));
  const to = sql.lit(PUNCTUATION_SIGNS.map(([ascii, signs]) => ascii.repeat(signs.length)).join(''));
  const folded = sql`translate(search_key, ${from}, ${to})`;
  for (const table of TABLES_WITH_KEYS)
    await sql`update ${sql.table(table)} set search_key = ${folded} where search_key <> ${folded}`.execute(db);
}
