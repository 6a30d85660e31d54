import {
  isMediaType,
  kindOf,
  MEDIA_TYPES,
  type MediaFilter,
  type MediaKind,
  type MediaType,
  type Uuid,
} from '@postshelf/domain';
import { holds } from './search.ts';
import type { Queries } from './store.ts';

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
