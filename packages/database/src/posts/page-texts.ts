import { evenShare, MAX_PAGE_TEXT_BYTES, MAX_PER_PAGE, type Uuid } from '@postshelf/domain';
import type { SelectQueryBuilder } from 'kysely';
import { blocksOf } from '../store/blocks.ts';
import type { Dialect, Queries } from '../store/store.ts';
import type { PostRow, Tables } from '../store/tables.ts';

/** Bytes of a text that is read with its row: a page of such texts fits. */
const SHORT_TEXT = MAX_PAGE_TEXT_BYTES / MAX_PER_PAGE;

/**
 * The rows of a page of posts, with only as much of their texts as a page may show: a hundred of the longest would take
 * tens of megabytes in every request.
 *
 * @returns the rows in the order of the page, and the ids of those whose text isn't whole
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

/** Texts whose beginnings one query reads; between two queries others have their turn. */
const BLOCK = 10;

/** @param limit bytes of each */
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
      // One more byte shows whether a character ends before it.
      .select((row) => ['id', firstBytes(row.ref('text'), limit + 1).as('bytes')])
      .where('id', 'in', block)
      .execute();
    for (const { id, bytes } of rows) texts.set(id, wholeCharacters(bytes, limit));
  }
  return texts;
}

/** The characters of UTF-8 that end within the first `limit` bytes. */
function wholeCharacters(bytes: Buffer, limit: number): string {
  let end = Math.min(limit, bytes.length);
  // Bytes that begin with the bits 10 continue a character (RFC 3629 section 3).
  while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
