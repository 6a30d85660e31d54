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
import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { FEW_ROWS } from '../store/count.ts';
import type { Dialect, MediaIndex, Queries, SearchHits } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { holds } from './search.ts';

export type MediaSelection = SelectQueryBuilder<Tables, 'media', object>;

/** What is known of a list before its page is read. */
export interface MediaListing {
  readonly queries: Queries;
  readonly dialect: Dialect;
  readonly workspaceId: Uuid;
  readonly query: MediaQuery;
  readonly total: number;
  /** Items that have the folder, status and kind that are asked for, whatever else is. */
  readonly candidates: number;
  /** Items that have the folder, and another status or kind. */
  readonly others: number;
  /** Of the candidates, the ones that were created within the time that is asked for. */
  readonly within: number;
  /** What its search finds, where an index knows that. */
  readonly hits: SearchHits | null;
}

/** A page as rows of the order of its list, or of its reverse, where the page is nearer to the end. */
export interface Part {
  readonly direction: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
}

/** The media of a workspace that a list with this filter has; covers are never among them. */
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
  if (search !== undefined) media = media.where((eb) => holds(dialect.position, eb.ref('search_key'), search));
  return narrow(queries, workspaceId, media, filter);
}

/**
 * The media that a list with this filter has among those of the workspace for which the condition holds. They are looked up, so what
 * the filter says of their place is written as no index has it.
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
  { status, kind, from, to, tag, sha256 }: MediaFilter,
): MediaSelection {
  let media = all;
  if (status !== undefined) media = media.where('status', '=', status);
  if (kind !== undefined) media = media.where('type', 'in', typesOf(kind));
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

/** The index of rare items that has all of a list, and the condition by which it is told; null where none has. */
function rareIndexOf({ status, kind }: MediaFilter) {
  if (status !== undefined && status !== 'active')
    return ['media_unfinished', sql<SqlBool>`status <> 'active'`] as const;
  if (kind === 'video') return ['media_films', sql<SqlBool>`type > 'video/' and type < 'video0'`] as const;
  return null;
}

/** The same as {@link filterMedia}, read by an index of rare items; null where none has them all, or they aren't rare. */
export function filterRare(
  known: Pick<MediaListing, 'queries' | 'dialect' | 'workspaceId' | 'query' | 'candidates' | 'others'>,
): MediaSelection | null {
  const { queries, dialect, workspaceId, query, candidates, others } = known;
  const rare = rareIndexOf(query);
  if (rare === null || query.folderId !== undefined || isLookedUp(query)) return null;
  if (candidates > FEW_ROWS || others <= FEW_ROWS) return null;
  return filterMedia(queries, dialect, workspaceId, query, rare[0]).where(rare[1]);
}

/** The listed media of a workspace that aren't `active` and have a text. */
export const filterUnfinished = (
  queries: Queries,
  dialect: Dialect,
  workspaceId: Uuid,
  search: string,
): MediaSelection =>
  filterMedia(queries, dialect, workspaceId, { search }, 'media_unfinished').where(sql<SqlBool>`status <> 'active'`);

/** The index that has the order of creation. */
export const indexOfCreation = ({ folderId }: MediaFilter): MediaIndex =>
  folderId === undefined ? 'media_newest' : 'media_newest_in_folder';

export const isWithinTime = ({ from, to }: MediaFilter): boolean => from !== undefined || to !== undefined;

/** Whether the filter has what selects some by their ids. */
export const isLookedUp = ({ tag, sha256 }: MediaFilter): boolean => tag !== undefined || sha256 !== undefined;

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
