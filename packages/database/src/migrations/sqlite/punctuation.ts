import { type Kysely, type RawBuilder, sql } from 'kysely';
import { PUNCTUATION_SIGNS, TABLES_WITH_KEYS } from '../punctuation-signs.ts';

/** Rewrites the search keys with typographic quotes and dashes, which searches equate with those in ASCII. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const pairs = PUNCTUATION_SIGNS.flatMap(([ascii, signs]) => Array.from(signs, (sign) => ({ ascii, sign })));
  const folded = pairs.reduce<RawBuilder<string>>(
    (key, { ascii, sign }) => sql`replace(${key}, ${sql.lit(sign)}, ${sql.lit(ascii)})`,
    sql`search_key`,
  );
  const any = sql.lit(`*[${pairs.map(({ sign }) => sign).join('')}]*`);
  for (const table of TABLES_WITH_KEYS)
    await sql`update ${sql.table(table)} set search_key = ${folded} where search_key glob ${any}`.execute(db);
}
