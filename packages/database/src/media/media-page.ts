import type { MediaQuery, MediaWithCover, Slice, Uuid } from '@postshelf/domain';
import { type SqlBool, sql } from 'kysely';
import { FEW_ROWS } from '../store/count.ts';
import type { MediaIndex, SearchHits } from '../store/dialect.ts';
import { type Part, readFromNearerEnd } from '../store/paging.ts';
import {
  filterFound,
  filterMedia,
  indexOfCreation,
  isLookedUp,
  isWithinTime,
  type MediaListing,
  type MediaSelection,
} from './media-filter.ts';
import { orderOf } from './media-order.ts';
import { readItemsAndCovers, withCover } from './media-rows.ts';
import { filterRare } from './rare-media.ts';

/** Reads the ids of a page first, so that the rows before it aren't loaded. */
export async function readPage(listing: MediaListing, slice: Slice): Promise<readonly MediaWithCover[]> {
  const order = orderOf(listing.query.sort);
  const ids = await readFromNearerEnd(slice, listing.total, ({ direction, ...part }) =>
    readIds(listing, { ...part, direction: (direction === 'desc') === order.descending ? 'desc' : 'asc' }),
  );
  if (ids.length === 0) return [];
  const rows = await readItemsAndCovers(listing, ids);
  const covers = new Map(rows.map((row) => [row.cover_of, row]));
  // Rows looked up by ids come in any order, and covers aren't items of the list.
  const items = rows.filter(({ cover_of }) => cover_of === null).sort(order.compare);
  return items.map((row) => withCover(row, covers.get(row.id)));
}

/**
 * Reads the ids of a page in the order of the list's index, if enough matches are found soon that way. Otherwise, finds
 * all matches with the most selective index, and sorts them.
 */
async function readIds(listing: MediaListing, part: Part): Promise<readonly Uuid[]> {
  const { query, hits, candidates, within } = listing;
  const rare = hits === null ? filterRare(listing) : null;
  if (rare !== null) return cut(rare, listing, part, 'sorted');
  const isInOrder = !isWithinTime(query) || query.sort?.by === 'created_at';
  // With few rows, any plan is fast.
  if (isLookedUp(query) || candidates <= FEW_ROWS || (isInOrder && (hits === null || within <= FEW_ROWS))) {
    return cut(inOrder(listing), listing, part);
  }
  if (within <= FEW_ROWS) return cut(createdWithin(listing), listing, part, 'sorted');
  const near = await readNear(listing, part);
  return near ?? cut(hits === null ? createdWithin(listing) : hitsOf(listing, hits), listing, part, 'sorted');
}

function inOrder({ queries, dialect, workspaceId, query }: MediaListing): MediaSelection {
  return filterMedia(queries, dialect, workspaceId, query, indexOf(query));
}

function indexOf({ sort, folderId }: MediaQuery): MediaIndex | undefined {
  const by = sort?.by ?? 'updated_at';
  if (by === 'updated_at') return folderId === undefined ? 'media_latest' : 'media_in_folder';
  if (by === 'created_at') return folderId === undefined ? 'media_newest' : 'media_newest_in_folder';
  return undefined;
}

const createdWithin = ({ queries, dialect, workspaceId, query }: MediaListing): MediaSelection =>
  filterMedia(queries, dialect, workspaceId, query, indexOfCreation(query));

const hitsOf = ({ queries, workspaceId, query }: MediaListing, { areHits }: SearchHits): MediaSelection =>
  filterFound(queries, workspaceId, query, queries.selectFrom('media').where(areHits));

/**
 * Reads a part of a selection.
 *
 * @param how `sorted` makes the database sort the matches instead of reading them in the order of the list's index
 */
async function cut(
  media: MediaSelection,
  { query: { sort }, dialect }: MediaListing,
  { direction, offset, limit }: Part,
  how: 'as indexed' | 'sorted' = 'as indexed',
): Promise<readonly Uuid[]> {
  const { key } = orderOf(sort);
  const rows = await media
    .select('id')
    .orderBy(
      (eb) => (how === 'sorted' ? eb.fn.coalesce(key(eb, dialect), key(eb, dialect)) : key(eb, dialect)),
      direction,
    )
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(({ id }) => id);
}

/** Maximum number of rows that are read in the list's order for a part, because all matches may be at the far end. */
const NEAR_ROWS = 30_000;

/**
 * The factor by which {@link NEAR_ROWS} must exceed the expected number of rows, because matches may be spread
 * unevenly.
 */
const MARGIN = 3;

/** Number of rows that are read in the time that looking up one hit takes. */
export const ROWS_PER_HIT = 4;

async function readNear(listing: MediaListing, part: Part): Promise<readonly Uuid[] | null> {
  const { dialect, query, total, candidates, others, within } = listing;
  const by = query.sort?.by ?? 'updated_at';
  if (by !== 'updated_at' && by !== 'created_at') return null;
  // Conditions on columns that the index lacks are left out, so that the row at `NEAR_ROWS` is found by reading only
  // the index.
  const { search: _search, status: _status, kind: _kind, ...withTime } = query;
  const { from: _from, to: _to, ...withoutTime } = withTime;
  const rows = ((by === 'created_at' ? within : candidates) * (candidates + others)) / candidates;
  if (((part.offset + part.limit) * rows * MARGIN) / total > NEAR_ROWS) return null;
  const { direction } = part;
  const end = await inOrder({ ...listing, query: by === 'created_at' ? withTime : withoutTime })
    .select([`${by} as key`, 'id'])
    .orderBy(by, direction)
    .orderBy('id', direction)
    .limit(1)
    .offset(NEAR_ROWS)
    .executeTakeFirst();
  if (end === undefined) return cut(inOrder(listing), listing, part);
  const isBefore = sql.raw(direction === 'desc' ? '>' : '<');
  const near = inOrder(listing).where(
    sql<SqlBool>`(${sql.ref(by)}, id) ${isBefore} (${end.key}, ${dialect.typedId(end.id)})`,
  );
  const ids = await cut(near, listing, part);
  return ids.length === part.limit ? ids : null;
}
