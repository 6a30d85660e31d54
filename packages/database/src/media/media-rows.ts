import {
  type ActiveMedia,
  type FocalPoint,
  kindOf,
  type MediaContent,
  type MediaItem,
  type MediaWithCover,
  type Uuid,
} from '@postshelf/domain';
import { searchKey } from '../search/search-key.ts';
import type { MediaRow } from '../store/tables.ts';
import { detailsFromJson, detailsToJson } from './details-json.ts';
import type { MediaListing } from './media-filter.ts';

const EMPTY = {
  type: null,
  size: null,
  sha256: null,
  width: null,
  height: null,
  time: null,
  cover_of: null,
  error_message: null,
  details: null,
};

/** @param tags the item's tags, by which searches also find it */
export function mediaToRow(item: MediaItem, tags: readonly string[]): MediaRow {
  const row = {
    ...EMPTY,
    id: item.id,
    workspace_id: item.workspaceId,
    folder_id: item.folderId,
    name: item.name,
    full_name: item.fullName,
    label: item.label,
    alt_text: item.altText,
    focus_x: item.focus?.x ?? null,
    focus_y: item.focus?.y ?? null,
    fitted_from: item.fittedFrom,
    created_by: item.createdBy?.id ?? null,
    created_by_kind: item.createdBy?.kind ?? null,
    version: item.version,
    search_key: searchKey(item, tags),
    created_at: item.createdAt,
    updated_at: item.updatedAt,
    status: item.status,
  };
  switch (item.status) {
    case 'active': {
      const { type, size, sha256, width, height, time, details } = item.content;
      const content = { type, size, sha256, width, height, time, details: details && detailsToJson(details) };
      return { ...row, ...content, cover_of: item.coverOf };
    }
    case 'failed':
      return { ...row, error_message: item.errorMessage };
    default:
      return row;
  }
}

/** The columns of an item's fields; events don't contain the columns of {@link NotInEvents}. */
export type ItemRow = Omit<MediaRow, 'search_key' | NotInEvents> & Partial<Pick<MediaRow, NotInEvents>>;

/** Columns that events don't contain. */
export type NotInEvents = 'created_by' | 'created_by_kind' | 'focus_x' | 'focus_y';

export function mediaFromRow(row: ItemRow): MediaItem {
  const base = {
    id: row.id,
    workspaceId: row.workspace_id,
    folderId: row.folder_id,
    name: row.name,
    fullName: row.full_name,
    label: row.label,
    altText: row.alt_text,
    focus: focusOf(row),
    fittedFrom: row.fitted_from,
    createdBy: row.created_by && row.created_by_kind ? { kind: row.created_by_kind, id: row.created_by } : null,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
  switch (row.status) {
    case 'active':
      return { ...base, status: 'active', content: contentOf(row), coverOf: row.cover_of };
    case 'failed':
      return { ...base, status: 'failed', errorMessage: row.error_message ?? '' };
    default:
      return { ...base, status: row.status };
  }
}

const focusOf = ({ focus_x: x = null, focus_y: y = null }: ItemRow): FocalPoint | null =>
  x === null || y === null ? null : { x, y };

/** The schema guarantees these values, but the types don't know it. */
function contentOf({ id, type, size, sha256, width, height, time, details }: ItemRow): MediaContent {
  if (type === null || size === null || width === null || height === null) {
    throw new Error(`The row of the active media item ${id} has no content`);
  }
  return {
    type,
    size,
    sha256,
    width,
    height,
    time,
    // The details are parsed only when accessed, because most responses don't show them.
    get details() {
      return detailsFromJson(details);
    },
  };
}

export function activeFromRow(row: ItemRow): ActiveMedia {
  const item = mediaFromRow(row);
  if (item.status !== 'active') throw new Error(`The item ${item.id} is not active`);
  return item;
}

export const withCover = (row: ItemRow, coverRow: ItemRow | undefined): MediaWithCover => ({
  item: mediaFromRow(row),
  cover: coverRow ? activeFromRow(coverRow) : null,
});

/** Returns the rows of items, and of the covers of those that are videos, because no others have one. */
export async function readItemsAndCovers(
  { queries, dialect: { isAmong } }: Pick<MediaListing, 'queries' | 'dialect'>,
  ids: readonly Uuid[],
): Promise<readonly MediaRow[]> {
  const media = queries.selectFrom('media').selectAll();
  const items = await media.where((eb) => isAmong(eb.ref('id'), ids)).execute();
  const videos = items.filter(({ type }) => type !== null && kindOf(type) === 'video').map(({ id }) => id);
  if (videos.length === 0) return items;
  return items.concat(await media.where((eb) => isAmong(eb.ref('cover_of'), videos)).execute());
}
