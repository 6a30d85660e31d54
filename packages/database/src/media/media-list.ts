import {
  isMediaType,
  kindOf,
  MEDIA_TYPES,
  type MediaFilter,
  type MediaKind,
  type MediaType,
  type Uuid,
} from '@postshelf/domain';
import { countOf, sumOf } from '../store/count.ts';
import type { Dialect, Queries } from '../store/store.ts';
import { holds } from './search.ts';

/** The media of a workspace that a list with this filter has; covers are never among them. */
export function filterMedia(queries: Queries, workspaceId: Uuid, filter: MediaFilter) {
  const { folderId, status, kind, search, from, to } = filter;
  let media = queries.selectFrom('media').where('workspace_id', '=', workspaceId).where('cover_of', 'is', null);
  if (folderId !== undefined) media = media.where('folder_id', folderId === null ? 'is' : '=', folderId);
  if (status !== undefined) media = media.where('status', '=', status);
  if (kind !== undefined) media = media.where('type', 'in', typesOf(kind));
  if (search !== undefined) media = media.where((eb) => holds(eb.ref('search_key'), search));
  if (from !== undefined) media = media.where('created_at', '>=', from);
  if (to !== undefined) media = media.where('created_at', '<=', to);
  return media;
}

const typesOf = (kind: MediaKind): MediaType[] =>
  Object.keys(MEDIA_TYPES).filter((type) => isMediaType(type) && kindOf(type) === kind) as MediaType[];

/**
 * How many media a list with this filter has: of folder, status and kind the counts that are kept, which costs the same
 * however many there are; a search or a time is counted, item by item.
 */
export function totalOfMedia(
  queries: Queries,
  dialect: Dialect,
  workspaceId: Uuid,
  filter: MediaFilter,
): Promise<number> {
  const { folderId, status, kind, search, from, to } = filter;
  if (search !== undefined || from !== undefined || to !== undefined) {
    return countOf(filterMedia(queries, workspaceId, filter));
  }
  let counts = queries.selectFrom('media_counts').where('workspace_id', '=', workspaceId);
  if (folderId !== undefined) counts = counts.where('folder_id', '=', folderId ?? dialect.noId);
  if (status !== undefined) counts = counts.where('status', '=', status);
  if (kind !== undefined) counts = counts.where('kind', '=', kind);
  return sumOf(counts, 'items');
}
