import {
  isMediaType,
  kindOf,
  MEDIA_TYPES,
  type MediaFilter,
  type MediaKind,
  type MediaQuery,
  type MediaType,
  tagKey,
  type Uuid,
} from '@postshelf/domain';
import type { SelectQueryBuilder } from 'kysely';
import { containsWords, searchWords } from '../search/search-key.ts';
import type { Dialect, MediaIndex, Queries, SearchHits } from '../store/dialect.ts';
import type { Tables } from '../store/tables.ts';

export type MediaSelection = SelectQueryBuilder<Tables, 'media', object>;

export interface MediaListing {
  readonly queries: Queries;
  readonly dialect: Dialect;
  readonly workspaceId: Uuid;
  readonly query: MediaQuery;
  readonly total: number;
  /** Number of items that match the folder, status and kind of the filter, whatever its other conditions are. */
  readonly candidates: number;
  /** Number of items in the folder that don't match the filter's status and kind. */
  readonly others: number;
  /** Number of candidates created within the filter's time range. */
  readonly within: number;
  /** Hits of the search; null if no index was used. */
  readonly hits: SearchHits | null;
}

export function filterMedia(
  queries: Queries,
  dialect: Dialect,
  workspaceId: Uuid,
  filter: MediaFilter,
  index?: MediaIndex,
): MediaSelection {
  const { folderId, search } = filter;
  let media = mediaOf(queries, dialect, workspaceId, filter, index).where('cover_of', 'is', null);
  if (folderId !== undefined) media = media.where('folder_id', folderId === null ? 'is' : '=', folderId);
  if (dialect.whileWanted !== undefined) media = media.where(dialect.whileWanted);
  if (search !== undefined) {
    media = media.where((eb) => containsWords(dialect.position, eb.ref('search_key'), searchWords(search)));
  }
  return narrow(queries, workspaceId, media, filter);
}

/**
 * Selects those of `media` that match the filter. The condition on the folder is written so that no index can be used
 * for it; otherwise the planner would read all items of the folder.
 */
export function filterFound(
  queries: Queries,
  workspaceId: Uuid,
  filter: MediaFilter,
  media: MediaSelection,
): MediaSelection {
  const { folderId } = filter;
  const found =
    folderId === undefined
      ? media
      : media.where((eb) => eb(eb.fn.coalesce('folder_id', 'folder_id'), folderId === null ? 'is' : '=', folderId));
  return narrow(queries, workspaceId, found, filter);
}

function narrow(
  queries: Queries,
  workspaceId: Uuid,
  all: MediaSelection,
  { status, kind, from, to, tags = [], sha256 }: MediaFilter,
): MediaSelection {
  let media = all;
  if (status !== undefined) media = media.where('status', '=', status);
  if (kind !== undefined) media = media.where('type', 'in', typesOf(kind));
  if (from !== undefined) media = media.where('created_at', '>=', from);
  if (to !== undefined) media = media.where('created_at', '<=', to);
  for (const tag of tags) media = media.where('id', 'in', idsTagged(queries, workspaceId, tag));
  if (sha256 !== undefined) media = media.where('id', 'in', idsOfBytes(queries, workspaceId, sha256));
  return media;
}

/**
 * Selects a workspace's media. With a tag or a hash, the condition on the workspace is written so that no index can be
 * used for it; otherwise SQLite would read all items of the workspace.
 */
function mediaOf(
  queries: Queries,
  { mediaBy }: Dialect,
  workspaceId: Uuid,
  filter: MediaFilter,
  index: MediaIndex | undefined,
): MediaSelection {
  const media = queries.selectFrom('media');
  if (isLookedUp(filter)) {
    return media.where((eb) => eb(eb.fn.coalesce('workspace_id', 'workspace_id'), '=', workspaceId));
  }
  return (index === undefined ? media : mediaBy(queries, index)).where('workspace_id', '=', workspaceId);
}

export const indexOfCreation = ({ folderId }: MediaFilter): MediaIndex =>
  folderId === undefined ? 'media_newest' : 'media_newest_in_folder';

export const isWithinTime = ({ from, to }: MediaFilter): boolean => from !== undefined || to !== undefined;

/** Whether the filter has tags or a hash, whose matches are looked up by their ids. */
export const isLookedUp = ({ tags = [], sha256 }: MediaFilter): boolean => tags.length > 0 || sha256 !== undefined;

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
