import type { MediaFilter, MediaQuery, MediaWithCover, Rows, Slice, Uuid } from '@postshelf/domain';
import { countOf, FEW_ROWS, sumOf, sumOfFew } from '../store/count.ts';
import type { Scan } from '../store/scan.ts';
import type { Dialect, Queries, SearchHits, Store } from '../store/store.ts';
import { filterFound, filterMedia, isLookedUp } from './media-filter.ts';
import { readPage } from './media-page.ts';
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
      const hits = await findHits(queries, dialect, workspaceId, query, candidates);
      const total = await totalOf(queries, dialect, workspaceId, query, candidates, hits);
      const listing = { queries, dialect, workspaceId, query, total, candidates, hits };
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
    const listing = { queries, dialect, workspaceId, query, total, candidates: total, hits: null };
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
  candidates: number,
): Promise<SearchHits | null> {
  if (!query.search || isLookedUp(query) || candidates <= FEW_ROWS) return null;
  const hits = await dialect.searchIndex.find(queries, workspaceId, query.search);
  return hits !== null && hits.total <= candidates ? hits : null;
}

async function totalOf(
  queries: Queries,
  dialect: Dialect,
  workspaceId: Uuid,
  query: MediaQuery,
  candidates: number,
  hits: SearchHits | null,
): Promise<number> {
  if (!isCounted(query) || candidates === 0) return candidates;
  const { search, folderId, status, kind, from, to } = query;
  if (hits !== null) {
    if ([folderId, status, kind, from, to].every((given) => given === undefined)) return hits.total;
    return countOf(filterFound(queries, workspaceId, query, queries.selectFrom('media').where(hits.areHits)));
  }
  if (isLookedUp(query) || search !== undefined) return countOf(filterMedia(queries, dialect, workspaceId, query));
  return countCreated(queries, dialect, workspaceId, query);
}
