import type { MediaQuery, MediaWithCover, Slice, Uuid } from '@postshelf/domain';
import { type SqlBool, sql } from 'kysely';
import { FEW_ROWS } from '../store/count.ts';
import { pageFromNearerEnd } from '../store/paging.ts';
import type { MediaIndex, SearchHits } from '../store/store.ts';
import { latestOfDays } from './latest-of-days.ts';
import {
  filterFound,
  filterMedia,
  filterRare,
  indexOfCreation,
  isLookedUp,
  isWithinTime,
  type MediaListing,
  type MediaSelection,
  type Part,
} from './media-filter.ts';
import { orderOf } from './media-order.ts';
import { withCover } from './media-rows.ts';

/** Only a page's own rows are looked up, so that one far behind is not read from the beginning of the table. */
export async function readPage(listing: MediaListing, slice: Slice): Promise<readonly MediaWithCover[]> {
  const { queries, dialect, query, total } = listing;
  if (slice.offset >= total) return [];
  const order = orderOf(query.sort);
  const { direction: way, offset, limit } = pageFromNearerEnd(slice, total);
  const direction = (way === 'desc') === order.descending ? 'desc' : 'asc';
  const ids = await readIds(listing, { direction, offset, limit });
  const media = queries.selectFrom('media').selectAll();
  const rows = await media
    .where((eb) => dialect.isAmong(eb.ref('id'), ids))
    .unionAll(media.where((eb) => dialect.isAmong(eb.ref('cover_of'), ids)))
    .execute();
  const covers = new Map(rows.map((row) => [row.cover_of, row]));
  // What is looked up by ids has no order of its own. Covers are in no list.
  const items = rows.filter(({ cover_of }) => cover_of === null).sort(order.compare);
  return items.map((row) => withCover(row, covers.get(row.id)));
}

/** By the way that costs least, as far as the totals tell. */
async function readIds(listing: MediaListing, part: Part): Promise<readonly Uuid[]> {
  const { query, hits, total, candidates, within } = listing;
  const rare = hits === null ? filterRare(listing) : null;
  if (rare !== null) return cut(rare, query, part, 'sorted');
  const isInOrder = !isWithinTime(query) || query.sort?.by === 'created_at';
  // What doesn't select is in its index's order, and few are soon looked at.
  if (isLookedUp(query) || candidates <= FEW_ROWS || (isInOrder && (hits === null || within <= FEW_ROWS))) {
    return cut(inOrder(listing), query, part);
  }
  if (within <= FEW_ROWS) return cut(createdWithin(listing), query, part, 'sorted');
  // What is of the past is seldom among what was changed last.
  const isOfPast = hits === null && !isInOrder && query.to !== undefined && total < candidates / SHARE_OF_PAST;
  const near = isOfPast ? null : await readNear(listing, part);
  if (near !== null) return near;
  if (hits !== null) return cut(hitsOf(listing, hits), query, part, 'sorted');
  return (await latestOfDays(listing, part)) ?? cut(createdWithin(listing), query, part, 'sorted');
}

/** One so many-th of a list, or more, is likely to have some of its first rows, whatever the time is. */
const SHARE_OF_PAST = 4;

/** The list by the index that has its order, where there is one. */
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

/** @param how `sorted` keeps an index out of it that has the order: what the list has may stand far behind in it */
async function cut(
  media: MediaSelection,
  { sort }: MediaQuery,
  { direction, offset, limit }: Part,
  how: 'as indexed' | 'sorted' = 'as indexed',
): Promise<readonly Uuid[]> {
  const { key } = orderOf(sort);
  const rows = await media
    .select('id')
    .orderBy((eb) => (how === 'sorted' ? eb.fn.coalesce(key(eb), key(eb)) : key(eb)), direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(({ id }) => id);
}

/** Rows of an order that are looked at, at first, and at most for what is within a time. */
const ROWS = { least: 600, most: 5000 } as const;

/** How many times as many rows are read next if the page wasn't found in the first. */
const GROWTH = 8;

/** How many times as many rows are read first as would contain the page if its items were evenly spread. */
const MARGIN = 3;

/** How many rows in a row are looked at in the time that it takes to look up a hit. */
export const ROWS_OF_HIT = 4;

/**
 * The ids of a part where they stand near the beginning of the order, within so many rows of its index; null where they don't, or
 * aren't likely to.
 */
async function readNear(listing: MediaListing, part: Part): Promise<readonly Uuid[] | null> {
  const { query, total, candidates, within, hits } = listing;
  const by = query.sort?.by ?? 'updated_at';
  if (by !== 'updated_at' && by !== 'created_at') return null;
  const inOrder = by === 'created_at' ? within : candidates;
  const expected = ((part.offset + part.limit) * inOrder) / total;
  const most = hits === null ? ROWS.most : hits.areScanned ? Infinity : hits.total * ROWS_OF_HIT;
  if (expected > most) return null;
  for (let rows = Math.ceil(ROWS.least + expected * MARGIN); ; rows *= GROWTH) {
    const ids = await readWithin(listing, part, by, rows);
    if (ids !== null || rows * GROWTH > most) return ids;
  }
}

/** The ids of a part where they stand within so many rows of the order. */
async function readWithin(
  listing: MediaListing,
  part: Part,
  by: 'updated_at' | 'created_at',
  rows: number,
): Promise<readonly Uuid[] | null> {
  const { dialect, query } = listing;
  const { search: _, ...others } = query;
  // The time is where rows stand in the order of creation, and no condition of them in the other.
  const { from: _from, to: _to, ...order } = others;
  const { direction } = part;
  const end = await inOrder({ ...listing, query: by === 'created_at' ? others : order })
    .select([`${by} as key`, 'id'])
    .orderBy(by, direction)
    .orderBy('id', direction)
    .limit(1)
    .offset(rows)
    .executeTakeFirst();
  if (end === undefined) return cut(inOrder(listing), query, part);
  const isBefore = sql.raw(direction === 'desc' ? '>' : '<');
  const near = inOrder(listing).where(
    sql<SqlBool>`(${sql.ref(by)}, id) ${isBefore} (${end.key}, ${dialect.typedId(end.id)})`,
  );
  const ids = await cut(near, query, part);
  return ids.length === part.limit ? ids : null;
}
