import { LISTED_TEXT_BYTES, listedText } from '@postshelf/domain';
import type { SelectQueryBuilder } from 'kysely';
import type { Dialect } from '../store/dialect.ts';
import type { PostRow, Tables } from '../store/tables.ts';

/**
 * Reads the rows of a page of posts in order, with as much of their texts as a list shows, and whether a text was cut.
 */
export async function readListed(
  { firstBytes }: Dialect,
  page: SelectQueryBuilder<Tables, 'posts', unknown>,
): Promise<readonly (PostRow & { readonly isCut: boolean })[]> {
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
      'version',
      'created_at',
      'updated_at',
      firstBytes(row.ref('text'), LISTED_TEXT_BYTES).as('beginning'),
    ])
    .execute();
  return found.map(({ beginning, ...row }) => {
    if (beginning === null) return { ...row, text: null, isCut: false };
    const read = beginning.toString();
    const text = listedText(read);
    return { ...row, text, isCut: text !== read };
  });
}
