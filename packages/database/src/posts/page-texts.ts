import { LISTED_TEXT_BYTES, listedText, type Uuid } from '@postshelf/domain';
import type { SelectQueryBuilder } from 'kysely';
import type { Dialect } from '../store/dialect.ts';
import type { PostRow, Tables } from '../store/tables.ts';

/**
 * The rows of a page of posts, with as much of their texts as a list shows.
 *
 * @returns the rows in order, and the ids of those whose text was cut
 */
export async function readListed(
  { firstBytes }: Dialect,
  page: SelectQueryBuilder<Tables, 'posts', unknown>,
): Promise<{ readonly rows: readonly PostRow[]; readonly cut: readonly Uuid[] }> {
  const found = await page
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
      firstBytes(row.ref('text'), LISTED_TEXT_BYTES).as('beginning'),
    ])
    .execute();
  const cut: Uuid[] = [];
  const rows = found.map(({ beginning, ...row }) => {
    if (beginning === null) return { ...row, text: null };
    const read = beginning.toString();
    const text = listedText(read);
    if (text !== read) cut.push(row.id);
    return { ...row, text };
  });
  return { rows, cut };
}
