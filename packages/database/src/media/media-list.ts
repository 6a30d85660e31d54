import {
  isMediaType,
  kindOf,
  MEDIA_TYPES,
  type MediaFilter,
  type MediaKind,
  type MediaQuery,
  type MediaType,
  type MediaWithCover,
  type Rows,
  type Slice,
  tagKey,
  type Uuid,
} from '@postshelf/domain';
import { countOf, FEW_ROWS, sumOf, sumOfFew } from '../store/count.ts';
import { pageFromNearerEnd } from '../store/paging.ts';
import type { Scan } from '../store/scan.ts';
import type { Dialect, Queries, Store } from '../store/store.ts';
import { orderOf } from './media-order.ts';
import { withCover } from './media-rows.ts';
import { holds } from './search.ts';

/**
 * A page of a list and its exact total. Of folder, status and kind the total is kept; with anything else it is counted, item
 * by item.
 */
export const listMedia: Scan<[Uuid, MediaQuery, Slice], Rows<MediaWithCover>> = {
  name: 'listMedia',
  run: ({ snapshot, dialect }, workspaceId, query, slice) =>
    snapshot(async (queries) => {
      const total = isCounted(query)
        ? await countOf(filterMedia(queries, dialect, workspaceId, query))
        : await sumOf(keptCounts(queries, dialect, workspaceId, query), 'items');
      return readPage(queries, dialect, workspaceId, query, slice, total);
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
    return total === null ? null : readPage(queries, dialect, workspaceId, query, slice, total);
  });
}

const isCounted = ({ search, from, to, tag, sha256 }: MediaFilter): boolean =>
  [search, from, to, tag, sha256].some((given) => given !== undefined);

/** By something that no index has in order. */
const isSorted = ({ sort }: MediaQuery): boolean => sort !== undefined && sort.by !== 'updated_at';

/** The media of a workspace that a list with this filter has; covers are never among them. */
function filterMedia(queries: Queries, { whileWanted }: Dialect, workspaceId: Uuid, filter: MediaFilter) {
  const { folderId, status, kind, search, from, to, tag, sha256 } = filter;
  let media = mediaOf(queries, workspaceId, filter).where('cover_of', 'is', null);
  if (folderId !== undefined) media = media.where('folder_id', folderId === null ? 'is' : '=', folderId);
  if (status !== undefined) media = media.where('status', '=', status);
  if (kind !== undefined) media = media.where('type', 'in', typesOf(kind));
  if (whileWanted !== undefined) media = media.where(whileWanted);
  if (search !== undefined) media = media.where((eb) => holds(eb.ref('search_key'), search));
  if (from !== undefined) media = media.where('created_at', '>=', from);
  if (to !== undefined) media = media.where('created_at', '<=', to);
  if (tag !== undefined) media = media.where('id', 'in', idsTagged(queries, workspaceId, tag));
  if (sha256 !== undefined) media = media.where('id', 'in', idsOfBytes(queries, workspaceId, sha256));
  return media;
}

/**
 * The few that a tag or a hash selects are looked up by their ids: SQLite would walk over the whole workspace for the order of its
 * index, so the condition is written as no index has it.
 */
function mediaOf(queries: Queries, workspaceId: Uuid, { tag, sha256 }: MediaFilter) {
  const media = queries.selectFrom('media');
  if (tag === undefined && sha256 === undefined) return media.where('workspace_id', '=', workspaceId);
  return media.where((eb) => eb(eb.fn.coalesce('workspace_id', 'workspace_id'), '=', workspaceId));
}

const idsTagged = (queries: Queries, workspaceId: Uuid, tag: string) =>
  queries
    .selectFrom('media_tags')
    .select('media_id')
    .where('workspace_id', '=', workspaceId)
    .where('tag_key', '=', tagKey(tag));

const idsOfBytes = (queries: Queries, workspaceId: Uuid, sha256: string) =>
  queries
    .selectFrom('media')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('sha256', '=', sha256)
    .where('cover_of', 'is', null);

const typesOf = (kind: MediaKind): MediaType[] =>
  Object.keys(MEDIA_TYPES).filter((type) => isMediaType(type) && kindOf(type) === kind) as MediaType[];

function keptCounts(queries: Queries, { noId }: Dialect, workspaceId: Uuid, { folderId, status, kind }: MediaFilter) {
  let counts = queries.selectFrom('media_counts').where('workspace_id', '=', workspaceId);
  if (folderId !== undefined) counts = counts.where('folder_id', '=', folderId ?? noId);
  if (status !== undefined) counts = counts.where('status', '=', status);
  if (kind !== undefined) counts = counts.where('kind', '=', kind);
  return counts;
}

/**
 * Rows before a page's are passed over in the index alone: only its own are looked up, so that a page far behind is not
 * read from the beginning of the table.
 */
async function readPage(
  queries: Queries,
  dialect: Dialect,
  workspaceId: Uuid,
  query: MediaQuery,
  slice: Slice,
  total: number,
): Promise<Rows<MediaWithCover>> {
  if (slice.offset >= total) return { items: [], total };
  const order = orderOf(query.sort);
  const { direction: way, offset, limit } = pageFromNearerEnd(slice, total);
  const direction = (way === 'desc') === order.descending ? 'desc' : 'asc';
  const page = filterMedia(queries, dialect, workspaceId, query)
    .select('id')
    .orderBy(order.key, direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .as('page');
  const rows = await queries.selectFrom(page).innerJoin('media', 'media.id', 'page.id').selectAll('media').execute();
  // A join has no order of its own.
  const sorted = rows.sort(order.compare);
  const ids = sorted.map((row) => row.id);
  const coverRows = await queries.selectFrom('media').selectAll().where('cover_of', 'in', ids).execute();
  const covers = new Map(coverRows.map((row) => [row.cover_of, row]));
  return { items: sorted.map((row) => withCover(row, covers.get(row.id))), total };
}
