import type { MediaFilter, MediaQuery, MediaWithCover, Rows, Slice, Uuid } from '@postshelf/domain';
import { countOf, FEW_ROWS, sumOf, sumOfFew } from '../store/count.ts';
import type { Dialect, Queries, Scan, SearchHits, Store } from '../store/store.ts';
import { filterFound, filterMedia, indexOfCreation, isLookedUp, isWithinTime } from './media-filter.ts';
import { ROWS_OF_HIT, readPage } from './media-page.ts';
import { countCreated, keptCounts } from './media-total.ts';

/**
 * A page of a list and its exact total. Of folder, status, kind and the day of creation the total is kept; what a search finds an index
 * tells where items are many. Anything else is counted, item by item.
 */
export const listMedia: Scan<[Uuid, MediaQuery, Slice], Rows<MediaWithCover>> = {
  name: 'listMedia',
  run: ({ snapshot, dialect }, workspaceId, query, slice) =>
    snapshot(async (queries) => {
      const candidates = await sumOf(keptCounts(queries, dialect, workspaceId, query), 'items');
      const isNarrower = candidates > 0 && isWithinTime(query) && !isLookedUp(query);
      const within = isNarrower ? await countCreated(queries, dialect, workspaceId, query, candidates) : candidates;
      const hits = await findHits(queries, dialect, workspaceId, query, within);
      const total = await totalOf(queries, dialect, workspaceId, query, within, hits);
      const listing = { queries, dialect, workspaceId, query, total, candidates, within, hits };
      return { items: await readPage(listing, slice), total };
    }),
};

/** The same beside other work, where it is sure not to take long; null where it isn't. */
export async function listFewMedia(
  { snapshot, dialect }: Pick<Store, 'snapshot' | 'dialect'>,
  workspaceId: Uuid,
  query: MediaQuery,
  slice: Slice,
): Promise<Rows<MediaWithCover> | null> {
  if (isCounted(query) || isSorted(query) || slice.offset > FEW_ROWS) return null;
  return snapshot(async (queries) => {
    const total = await sumOfFew(queries, keptCounts(queries, dialect, workspaceId, query), 'items');
    if (total === null) return null;
    const listing = { queries, dialect, workspaceId, query, total, candidates: total, within: total, hits: null };
    return { items: await readPage(listing, slice), total };
  });
}

const isCounted = ({ search, from, to, tag, sha256 }: MediaFilter): boolean =>
  [search, from, to, tag, sha256].some((given) => given !== undefined);

/** By something that no index has in order. */
const isSorted = ({ sort }: MediaQuery): boolean => sort?.by === 'name' || sort?.by === 'size';

/** What the search of a list finds in the whole workspace, where an index tells and looking at the list takes longer. */
async function findHits(
  queries: Queries,
  dialect: Dialect,
  workspaceId: Uuid,
  query: MediaQuery,
  within: number,
): Promise<SearchHits | null> {
  if (!query.search || isLookedUp(query) || within <= FEW_ROWS) return null;
  const { folderId, status, kind } = query;
  const isWhole = [folderId, status, kind].every((given) => given === undefined) && !isWithinTime(query);
  const most = isWhole ? Infinity : isWithinTime(query) ? within / ROWS_OF_HIT : within;
  return dialect.searchIndex.find(queries, workspaceId, query.search, most);
}

async function totalOf(
  queries: Queries,
  dialect: Dialect,
  workspaceId: Uuid,
  query: MediaQuery,
  within: number,
  hits: SearchHits | null,
): Promise<number> {
  if (within === 0 || (!query.search && !isLookedUp(query))) return within;
  if (hits === null) {
    const index = isWithinTime(query) && !isLookedUp(query) ? indexOfCreation(query) : undefined;
    return countOf(filterMedia(queries, dialect, workspaceId, query, index));
  }
  const { folderId, status, kind, from, to } = query;
  if ([folderId, status, kind, from, to].every((given) => given === undefined)) return hits.total;
  return countOf(filterFound(queries, workspaceId, query, queries.selectFrom('media').where(hits.areHits)));
}
