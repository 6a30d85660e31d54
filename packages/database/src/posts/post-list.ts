import {
  LISTED_TEXT_BYTES,
  listedText,
  type PostFilter,
  type PostPage,
  type Slice,
  type Uuid,
} from '@postshelf/domain';
import { type SelectQueryBuilder, sql } from 'kysely';
import { countOf, FEW_ROWS, sumOf, sumOfFew } from '../store/count.ts';
import type { Dialect, Queries } from '../store/dialect.ts';
import { readFromNearerEnd } from '../store/paging.ts';
import type { Scan, Store } from '../store/store.ts';
import type { PostRow, Tables } from '../store/tables.ts';
import { withMedia } from './post-rows.ts';

/**
 * Lists a page of posts. The exact total comes from stored counts; posts that are filtered by time or by an item are
 * counted.
 */
export const listPosts: Scan<[Uuid, PostFilter, Slice], PostPage> = {
  name: 'listPosts',
  run: ({ read, dialect }, workspaceId, filter, slice) =>
    read(async (queries) => {
      const total = await totalOf(queries, dialect, workspaceId, filter);
      return readPage(queries, dialect, workspaceId, filter, slice, total);
    }),
};

/** Lists a page of posts without a scan; returns null if that could read too many rows. */
export async function listFewPosts(
  { read, dialect }: Pick<Store, 'read' | 'dialect'>,
  workspaceId: Uuid,
  filter: PostFilter,
  slice: Slice,
): Promise<PostPage | null> {
  if (!hasStoredCounts(filter) || slice.offset > FEW_ROWS) return null;
  return read(async (queries) => {
    const total = await sumOfFew(queries, storedCounts(queries, workspaceId, filter), 'posts');
    return total === null ? null : readPage(queries, dialect, workspaceId, filter, slice, total);
  });
}

const hasStoredCounts = ({ mediaId, from, to }: PostFilter): boolean =>
  mediaId === undefined && from === undefined && to === undefined;

function totalOf(queries: Queries, dialect: Dialect, workspaceId: Uuid, filter: PostFilter): Promise<number> {
  return hasStoredCounts(filter)
    ? sumOf(storedCounts(queries, workspaceId, filter), 'posts')
    : countOf(filterPosts(queries, dialect, workspaceId, filter));
}

/**
 * Selects a workspace's posts that match the filter. If the filter has an item or a profile, this checks the workspace
 * of the item or profile instead of each post's, so that the index of the item or profile is used.
 */
function filterPosts(
  queries: Queries,
  { whileWanted }: Dialect,
  workspaceId: Uuid,
  { profileId, mediaId, from, to }: PostFilter,
) {
  let posts = queries.selectFrom('posts');
  if (mediaId !== undefined) {
    const ownItem = queries
      .selectFrom('media')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', mediaId);
    posts = posts.where('id', 'in', queries.selectFrom('post_media').select('post_id').where('media_id', '=', ownItem));
    // Written so that the profile's index can't be used, because an item is in fewer posts than a profile has.
    if (profileId !== undefined) posts = posts.where(sql`profile_id || ''`, '=', profileId);
  } else if (profileId === undefined) posts = posts.where('workspace_id', '=', workspaceId);
  else {
    const ownProfile = queries
      .selectFrom('profiles')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', profileId);
    posts = posts.where('profile_id', '=', ownProfile);
  }
  if (whileWanted !== undefined) posts = posts.where(whileWanted);
  if (from !== undefined) posts = posts.where('published_at', '>=', from);
  if (to !== undefined) posts = posts.where('published_at', '<=', to);
  return posts;
}

function storedCounts(queries: Queries, workspaceId: Uuid, { profileId }: PostFilter) {
  const counts = queries.selectFrom('post_counts').where('workspace_id', '=', workspaceId);
  return profileId === undefined ? counts : counts.where('profile_id', '=', profileId);
}

async function readPage(
  queries: Queries,
  dialect: Dialect,
  workspaceId: Uuid,
  filter: PostFilter,
  slice: Slice,
  total: number,
): Promise<PostPage> {
  const rows = await readFromNearerEnd(slice, total, ({ direction, offset, limit }) => {
    const posts = filterPosts(queries, dialect, workspaceId, filter);
    const page = posts.orderBy('published_at', direction).orderBy('id', direction).limit(limit).offset(offset);
    return readListed(dialect, page);
  });
  const cut = rows.filter(({ isCut }) => isCut).map(({ id }) => id);
  return { items: await withMedia(queries, rows), total, ...(cut.length > 0 && { cut }) };
}

/**
 * Reads the rows of a page of posts in order, with as much of their texts as a list shows. Each row says whether its
 * text was cut.
 */
async function readListed(
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
