import { evenShare, MAX_PAGE_TEXT_BYTES, MAX_PER_PAGE, type Uuid } from '@postshelf/domain';
import type { SelectQueryBuilder } from 'kysely';
import { blocksOf } from '../store/blocks.ts';
import type { Dialect, Queries } from '../store/dialect.ts';
import type { PostRow, Tables } from '../store/tables.ts';

/** The most bytes of a text that is read with its row: a full page of such texts stays within the limit. */
const SHORT_TEXT = MAX_PAGE_TEXT_BYTES / MAX_PER_PAGE;

/**
 * Reads the rows of a page of posts, with only as much of their texts as a page may show: a hundred of the longest
 * texts would take tens of megabytes per request.
 *
 * @returns the rows in the order of the page, and the ids of those whose text was cut
 */
export async function readWithinBytes(
  queries: Queries,
  dialect: Dialect,
  page: SelectQueryBuilder<Tables, 'posts', unknown>,
): Promise<{ readonly rows: readonly PostRow[]; readonly cut: readonly Uuid[] }> {
  const rows = await page
    .select((row) => [
      'id',
      'workspace_id',
      'profile_id',
      'external_id',
      'published_at',
      'impressions',
      'likes',
      'comments',
      'shares',
      'saves',
      'clicks',
      'created_at',
      'updated_at',
      row.fn<number | null>('octet_length', ['text']).as('text_bytes'),
      row
        .case()
        .when(row.fn<number>('octet_length', ['text']), '<=', SHORT_TEXT)
        .then(row.ref('text'))
        .end()
        .as('text'),
    ])
    .execute();
  const long = new Map(
    rows.flatMap(({ id, text_bytes }) => ((text_bytes ?? 0) > SHORT_TEXT ? [[id, text_bytes ?? 0]] : [])),
  );
  const limit = evenShare(
    rows.map(({ text_bytes }) => text_bytes ?? 0),
    MAX_PAGE_TEXT_BYTES,
  );
  const texts = await readBeginnings(queries, dialect, [...long.keys()], limit);
  return {
    rows: rows.map(({ text_bytes: _, ...row }) => ({ ...row, text: texts.get(row.id) ?? row.text })),
    cut: [...long].flatMap(([id, bytes]) => (bytes > limit ? [id] : [])),
  };
}

/** Texts whose beginnings one query reads; between two queries the connection serves others. */
const BLOCK = 10;

/** @param limit the most bytes of each text */
async function readBeginnings(
  queries: Queries,
  { firstBytes }: Dialect,
  ids: readonly Uuid[],
  limit: number,
): Promise<ReadonlyMap<Uuid, string>> {
  const texts = new Map<Uuid, string>();
  for (const block of blocksOf(ids, BLOCK)) {
    const rows = await queries
      .selectFrom('posts')
      // One more byte shows whether a character ends at the limit.
      .select((row) => ['id', firstBytes(row.ref('text'), limit + 1).as('bytes')])
      .where('id', 'in', block)
      .execute();
    for (const { id, bytes } of rows) texts.set(id, wholeCharacters(bytes, limit));
  }
  return texts;
}

/** Decodes UTF-8 up to the last character that ends within the first `limit` bytes. */
function wholeCharacters(bytes: Buffer, limit: number): string {
  let end = Math.min(limit, bytes.length);
  // Bytes that begin with the bits 10 continue a character (RFC 3629 section 3).
  while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
