import { type Kysely, sql } from 'kysely';

/** What migration 0037 does alike in both databases. @param idType of the column `id` */
export async function respell(db: Kysely<unknown>, idType: 'text' | 'uuid'): Promise<void> {
  await respellTimeZones(db);
  await refoldMedia(db, idType);
  await refoldTrash(db, idType);
}

/** As the zone database does: `europe/berlin` becomes `Europe/Berlin`. */
async function respellTimeZones(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ timezone: string }>`select distinct timezone from workspaces`.execute(db);
  for (const { timezone } of rows) {
    const spelled = spellingOf(timezone);
    if (spelled === null || spelled === timezone) continue;
    await sql`update workspaces set timezone = ${spelled} where timezone = ${timezone}`.execute(db);
  }
}

/** null for a zone that this machine's database doesn't have. */
function spellingOf(timeZone: string): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

interface Texts {
  readonly id: string;
  readonly name: string;
  readonly label: string | null;
  readonly alt_text: string | null;
}

/** Rows that are read and written at once. */
const BATCH = 500;

/** Marks, width and other forms are outside of ASCII. */
const MAY_DIFFER = sql`octet_length(search_key) <> length(search_key)`;

async function refoldMedia(db: Kysely<unknown>, idType: 'text' | 'uuid'): Promise<void> {
  const lacksTags = sql`exists (select 1 from media_search_due where media_id = media.id)`;
  const next = (last: string | null) => sql<Texts>`
    select id, name, label, alt_text from media
    where cover_of is null and (${MAY_DIFFER} or ${lacksTags}) ${last === null ? sql`` : sql`and id > ${last}`}
    order by id limit ${sql.lit(BATCH)}`;
  for (let rows = (await next(null).execute(db)).rows; rows.length > 0; ) {
    const ids = rows.map(({ id }) => id);
    const found = await sql<{ media_id: string; tag: string }>`
      select media_id, tag from media_tags where media_id in (${sql.join(ids)}) order by media_id, position`.execute(
      db,
    );
    const tags = new Map(ids.map((id) => [id, [] as string[]]));
    for (const { media_id, tag } of found.rows) tags.get(media_id)?.push(tag);
    await setKeys(db, 'media', idType, new Map(rows.map((row) => [row.id, searchKey(row, tags.get(row.id) ?? [])])));
    rows = (await next(ids.at(-1) ?? null).execute(db)).rows;
  }
}

async function refoldTrash(db: Kysely<unknown>, idType: 'text' | 'uuid'): Promise<void> {
  const next = (last: string | null) => sql<Texts & { readonly tags: string }>`
    select id, name, label, alt_text, tags from trashed_media
    where cover_of is null and ${MAY_DIFFER} ${last === null ? sql`` : sql`and id > ${last}`}
    order by id limit ${sql.lit(BATCH)}`;
  for (let rows = (await next(null).execute(db)).rows; rows.length > 0; ) {
    const keys = new Map(rows.map((row) => [row.id, searchKey(row, JSON.parse(row.tags))]));
    await setKeys(db, 'trashed_media', idType, keys);
    rows = (await next(rows.at(-1)?.id ?? null).execute(db)).rows;
  }
}

async function setKeys(
  db: Kysely<unknown>,
  table: 'media' | 'trashed_media',
  idType: 'text' | 'uuid',
  keys: ReadonlyMap<string, string>,
): Promise<void> {
  const values = sql.join([...keys].map(([id, key]) => sql`(${id}, ${key})`));
  await sql`
    update ${sql.table(table)} set search_key = cast(folded.column2 as text) from (values ${values}) as folded
    where id = cast(folded.column1 as ${sql.raw(idType)})`.execute(db);
}

/** As the program builds keys from now on. */
function searchKey({ name, label, alt_text }: Texts, tags: readonly string[]): string {
  const key = [name, label].flatMap((text) => (text ? [fold(text)] : [])).join('\n');
  const words = [...(alt_text === null ? [] : [alt_text]), ...tags].map((text) => `${fold(text)}\n`);
  return words.length === 0 ? key : `${key}\n\n${words.join('')}`;
}

function fold(text: string): string {
  const marks = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu;
  const plain = text.normalize('NFKD').replace(marks, '$1').normalize('NFC');
  const upper = plain.toLowerCase().toUpperCase();
  const folded = Array.from(upper, (character) => character.toLowerCase()).join('');
  return folded.normalize('NFC').replaceAll('\n', ' ');
}
