import type { MediaFilter, MediaQuery, MediaWithCover, Rows, Slice, Uuid } from '@postshelf/domain';
import { type SqlBool, sql } from 'kysely';
import { searchWords } from '../search/search-key.ts';
import { countOf, FEW_ROWS } from '../store/count.ts';
import type { Dialect, Queries, SearchHits } from '../store/dialect.ts';
import type { Scan, Store } from '../store/store.ts';
import {
  filterFound,
  filterMedia,
  indexOfCreation,
  isLookedUp,
  isWithinTime,
  type MediaListing,
} from './media-filter.ts';
import { ROWS_PER_HIT, readPage } from './media-page.ts';
import { filterRare, filterUnfinished } from './rare-media.ts';

/**
 * Lists a page of media and the list's exact total. Totals by folder, status and kind come from stored counts, and the
 * number of a search's hits comes from an index. Anything else is counted.
 */
export const listMedia: Scan<[Uuid, MediaQuery, Slice], Rows<MediaWithCover>> = {
  name: 'listMedia',
  run: ({ read, dialect }, workspaceId, query, slice) =>
    read(async (queries) => {
      const { candidates, others } = await sumStoredCounts(queries, dialect, workspaceId, query);
      const isNarrower = candidates > 0 && isWithinTime(query) && !isLookedUp(query);
      const { search: _, ...unsearched } = query;
      const within = isNarrower
        ? await countOf(filterMedia(queries, dialect, workspaceId, unsearched, indexOfCreation(query)))
        : candidates;
      const known = { queries, dialect, workspaceId, query, candidates, others, within };
      const hits = await findHits(known);
      const total = await totalOf(known, hits);
      const listing = { ...known, hits, total };
      return { items: await readPage(listing, slice), total };
    }),
};

export async function listFewMedia(
  { read, dialect }: Pick<Store, 'read' | 'dialect'>,
  workspaceId: Uuid,
  query: MediaQuery,
  slice: Slice,
): Promise<Rows<MediaWithCover> | null> {
  if (isCounted(query) || isSorted(query) || slice.offset > FEW_ROWS) return null;
  return read(async (queries) => {
    const { candidates: total, others, isCut } = await sumStoredCounts(queries, dialect, workspaceId, query, FEW_ROWS);
    if (isCut) return null;
    const known = { queries, dialect, workspaceId, query, candidates: total, others, within: total };
    // Reading the page might step over many rows and block this thread, so the caller runs a scan instead.
    if (dialect.isInProcess && others > FEW_ROWS && filterRare(known) === null) return null;
    const listing = { ...known, total, hits: null };
    return { items: await readPage(listing, slice), total };
  });
}

const isCounted = (query: MediaFilter): boolean =>
  query.search !== undefined || isWithinTime(query) || isLookedUp(query);

/** Whether the list has an order that no index has. */
const isSorted = ({ sort }: MediaQuery): boolean => sort?.by === 'name' || sort?.by === 'size';

type Known = Omit<MediaListing, 'total' | 'hits'>;

/**
 * Finds the search's hits in the whole workspace; null if there is no search, or if reading the list's items is faster.
 */
async function findHits(known: Known): Promise<SearchHits | null> {
  const { queries, dialect, workspaceId, query, within } = known;
  if (!query.search || isLookedUp(query) || within <= FEW_ROWS) return null;
  const max = isWhole(known) ? Infinity : isWithinTime(query) ? within / ROWS_PER_HIT : within;
  return dialect.searchIndex.find(queries, workspaceId, searchWords(query.search), max);
}

/** Whether the list has all items of the workspace, or at least all `active` ones if only a few others exist. */
const isWhole = ({ query, others }: Known): boolean =>
  query.folderId === undefined &&
  query.kind === undefined &&
  !isWithinTime(query) &&
  (query.status === undefined || (query.status === 'active' && others <= FEW_ROWS));

async function totalOf(known: Known, hits: SearchHits | null): Promise<number> {
  const { queries, dialect, workspaceId, query, within } = known;
  const { search, status } = query;
  if (within === 0 || (!search && !isLookedUp(query))) return within;
  if (hits === null) {
    const rare = filterRare(known);
    const index = isWithinTime(query) && !isLookedUp(query) ? indexOfCreation(query) : undefined;
    return countOf(rare ?? filterMedia(queries, dialect, workspaceId, query, index));
  }
  if (!isWhole(known)) {
    return countOf(filterFound(queries, workspaceId, query, queries.selectFrom('media').where(hits.areHits)));
  }
  const isOfAny = status === undefined || !search;
  return isOfAny ? hits.total : hits.total - (await countOf(filterUnfinished(queries, dialect, workspaceId, search)));
}

interface StoredCounts {
  readonly candidates: number;
  readonly others: number;
  /** Whether there are more rows of counts than were summed. */
  readonly isCut: boolean;
}

/** Sums at most `max` rows of counts. */
async function sumStoredCounts(
  queries: Queries,
  { noId }: Dialect,
  workspaceId: Uuid,
  { folderId, status, kind }: MediaFilter,
  max = Infinity,
): Promise<StoredCounts> {
  const isListed = sql<SqlBool>`(${status === undefined ? sql`1 = 1` : sql`status = ${status}`}
    and ${kind === undefined ? sql`1 = 1` : sql`kind = ${kind}`})`;
  let counts = queries
    .selectFrom('media_counts')
    .where('workspace_id', '=', workspaceId)
    .select(['items', isListed.as('is_listed')]);
  if (folderId !== undefined) counts = counts.where('folder_id', '=', folderId ?? noId);
  if (Number.isFinite(max)) counts = counts.limit(max + 1);
  const sums = await queries
    .selectFrom(counts.as('counts'))
    .select((eb) => [
      eb.fn.countAll().as('rows'),
      eb.fn.sum<number | string | null>('counts.items').as('all'),
      sql<number | string | null>`sum(counts.items) filter (where counts.is_listed)`.as('candidates'),
    ])
    .executeTakeFirstOrThrow();
  const candidates = Number(sums.candidates ?? 0);
  return { candidates, others: Number(sums.all ?? 0) - candidates, isCut: Number(sums.rows) > max };
}
