import { type Kysely, sql } from 'kysely';
import { IGNORED_RANGES, LETTERS_WITH_STROKE } from '../ignored-signs.ts';
import { TABLES_WITH_KEYS } from '../punctuation-signs.ts';

const IGNORED = new RegExp(`[${IGNORED_RANGES}]`, 'gu');

/** Number of rows that are read at a time. */
const ROWS = 1000;

/** Rewrites the search keys that have letters with a stroke or characters that show nothing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of TABLES_WITH_KEYS) {
    await replaceStrokes(db, table);
    await deleteIgnored(db, table);
  }
}

async function replaceStrokes(db: Kysely<unknown>, table: string): Promise<void> {
  const { from, to } = LETTERS_WITH_STROKE;
  const plain = Array.from(from).reduce(
    (key, letter, at) => sql<string>`replace(${key}, ${sql.lit(letter)}, ${sql.lit(to.charAt(at))})`,
    sql<string>`search_key`,
  );
  await sql`update ${sql.table(table)} set search_key = ${plain} where search_key glob ${sql.lit(`*[${from}]*`)}`.execute(
    db,
  );
}

/** Deletes the characters here, because SQLite has no function that replaces a range of characters. */
async function deleteIgnored(db: Kysely<unknown>, table: string): Promise<void> {
  const of = sql.table(table);
  const any = sql.lit(`*[${IGNORED_RANGES}]*`);
  let next = sql`true`;
  for (;;) {
    const { rows } = await sql<{ id: unknown; search_key: string }>`
      select id, search_key from ${of} where ${next} and search_key glob ${any}
      order by id limit ${sql.lit(ROWS)}`.execute(db);
    for (const { id, search_key: key } of rows)
      await sql`update ${of} set search_key = ${key.replace(IGNORED, '')} where id = ${id}`.execute(db);
    if (rows.length < ROWS) return;
    next = sql`id > ${rows.at(-1)?.id}`;
  }
}
