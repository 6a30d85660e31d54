import {
  isMediaType,
  kindOf,
  MEDIA_TYPES,
  type MediaFilter,
  type MediaKind,
  type MediaType,
  type MediaWithCover,
  type Rows,
  type Slice,
  type Uuid,
} from '@postshelf/domain';
import { countOf, FEW_ROWS, sumOf, sumOfFew } from '../store/count.ts';
import { pageFromNearerEnd } from '../store/paging.ts';
import type { Scan } from '../store/scan.ts';
import type { Dialect, Queries, Store } from '../store/store.ts';
import { withCover } from './media-rows.ts';
import { holds } from './search.ts';

/**
 * A page of a list and its exact total. Of folder, status and kind the total is kept; with a search or a time it is
 * counted, item by item.
 */
export const listMedia: Scan<[Uuid, MediaFilter, Slice], Rows<MediaWithCover>> = {
  name: 'listMedia',
  run: ({ snapshot, dialect }, workspaceId, filter, slice) =>
    snapshot(async (queries) => {
      const total = isCounted(filter)
        ? await countOf(filterMedia(queries, dialect, workspaceId, filter))
        : await sumOf(keptCounts(queries, dialect, workspaceId, filter), 'items');
      return readPage(queries, dialect, workspaceId, filter, slice, total);
    }),
};

/** The same beside other work, where it is sure not to take long; null where it isn't. */
export async function listFewMedia(
  { snapshot, dialect }: Pick<Store, 'snapshot' | 'dialect'>,
  workspaceId: Uuid,
  filter: MediaFilter,
  slice: Slice,
): Promise<Rows<MediaWithCover> | null> {
  if (isCounted(filter) || slice.offset > FEW_ROWS) return null;
  return snapshot(async (queries) => {
    const total = await sumOfFew(queries, keptCounts(queries, dialect, workspaceId, filter), 'items');
    return total === null ? null : readPage(queries, dialect, workspaceId, filter, slice, total);
  });
}

const isCounted = ({ search, from, to }: MediaFilter): boolean =>
  search !== undefined || from !== undefined || to !== undefined;

/** The media of a workspace that a list with this filter has; covers are never among them. */
function filterMedia(queries: Queries, { whileWanted }: Dialect, workspaceId: Uuid, filter: MediaFilter) {
  const { folderId, status, kind, search, from, to } = filter;
  let media = queries.selectFrom('media').where('workspace_id', '=', workspaceId).where('cover_of', 'is', null);
  if (folderId !== undefined) media = media.where('folder_id', folderId === null ? 'is' : '=', folderId);
  if (status !== undefined) media = media.where('status', '=', status);
  if (kind !== undefined) media = media.where('type', 'in', typesOf(kind));
  if (whileWanted !== undefined) media = media.where(whileWanted);
  if (search !== undefined) media = media.where((eb) => holds(eb.ref('search_key'), search));
  if (from !== undefined) media = media.where('created_at', '>=', from);
  if (to !== undefined) media = media.where('created_at', '<=', to);
  return media;
}

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
  filter: MediaFilter,
  slice: Slice,
  total: number,
): Promise<Rows<MediaWithCover>> {
  if (slice.offset >= total) return { items: [], total };
  const { direction, offset, limit } = pageFromNearerEnd(slice, total);
  const page = filterMedia(queries, dialect, workspaceId, filter)
    .select('id')
    .orderBy('updated_at', direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .as('page');
  const rows = await queries.selectFrom(page).innerJoin('media', 'media.id', 'page.id').selectAll('media').execute();
  // A join has no order of its own.
  const sorted = rows.sort((a, b) => b.updated_at - a.updated_at || (a.id < b.id ? 1 : -1));
  const ids = sorted.map((row) => row.id);
  const coverRows = await queries.selectFrom('media').selectAll().where('cover_of', 'in', ids).execute();
  const covers = new Map(coverRows.map((row) => [row.cover_of, row]));
  return { items: sorted.map((row) => withCover(row, covers.get(row.id))), total };
}
