import type { EventContent, EventType, LibraryEvent, Uuid, WorkspaceUsage } from '@postshelf/domain';
import { folderFromRow } from '../folders/folder-rows.ts';
import { type ItemRow, type NotInEvents, withCover } from '../media/media-rows.ts';
import { eventPostFromRow } from '../posts/post-rows.ts';
import type { EventRow, FolderRow, PostRow } from '../store/tables.ts';

/** How a column becomes JSON; `plain` is text without quotes, backslashes and control characters, such as an id. */
export type ColumnKind = 'plain' | 'text' | 'number';

export type Columns = readonly (readonly [name: string, kind: ColumnKind])[];

const columnsOf = <Row>(columns: Readonly<Record<keyof Row, ColumnKind>>): Columns => Object.entries(columns);

/**
 * The columns from which the database itself builds the JSON of an event, so that the service needn't read the values
 * first. After an update, the new release also reads events that the old one wrote during the last day. So a column
 * that is added here must be optional in the row that is parsed below, until every event has it. If a column of the
 * table is renamed, that row must keep the old name.
 */
export const ITEM_COLUMNS = columnsOf<Omit<ItemRow, NotInEvents>>({
  id: 'plain',
  workspace_id: 'plain',
  folder_id: 'plain',
  name: 'text',
  full_name: 'text',
  label: 'text',
  alt_text: 'text',
  fitted_from: 'plain',
  version: 'number',
  created_at: 'number',
  updated_at: 'number',
  status: 'plain',
  type: 'plain',
  size: 'number',
  sha256: 'plain',
  width: 'number',
  height: 'number',
  time: 'number',
  cover_of: 'plain',
  error_message: 'text',
  details: 'text',
});

type EventFolderRow = Omit<FolderRow, 'name_key'>;

export const FOLDER_COLUMNS = columnsOf<EventFolderRow>({
  id: 'plain',
  workspace_id: 'plain',
  parent_id: 'plain',
  name: 'text',
  is_system: 'number',
  version: 'number',
  created_at: 'number',
  updated_at: 'number',
});

type EventPostRow = Omit<PostRow, 'text'>;

export const POST_COLUMNS = columnsOf<EventPostRow>({
  id: 'plain',
  workspace_id: 'plain',
  profile_id: 'plain',
  external_id: 'text',
  published_at: 'number',
  impressions: 'number',
  likes: 'number',
  comments: 'number',
  shares: 'number',
  saves: 'number',
  clicks: 'number',
  version: 'number',
  created_at: 'number',
  updated_at: 'number',
});

/** The data of events: media with their cover, posts with the ids of their media in order. */
interface EventData {
  readonly media: { readonly row: ItemRow; readonly cover: ItemRow | null };
  readonly folder: { readonly row: EventFolderRow };
  readonly post: { readonly row: EventPostRow; readonly media_ids: readonly Uuid[] };
  readonly workspace: WorkspaceUsage;
}

const parse = <Kind extends keyof EventData>(_: Kind, json: string): EventData[Kind] => JSON.parse(json);

/** The row of an event that describes a change, unlike a `mark`, which is only a position to resume after. */
export type LibraryEventRow = EventRow & { readonly type: EventType };

export const eventFromRow = (row: LibraryEventRow): LibraryEvent => ({
  id: row.id,
  type: row.type,
  workspaceId: row.workspace_id,
  at: row.at,
  content: contentOf(row),
});

function contentOf({ type, resource_id: id, data }: LibraryEventRow): EventContent {
  const [kind, what] = type.split('.', 2);
  if (what === 'deleted' || data === null) return { kind: 'deleted', id };
  if (kind === 'media') {
    const { row, cover } = parse('media', data);
    return { kind, media: withCover(row, cover ?? undefined) };
  }
  if (kind === 'folder') return { kind, folder: folderFromRow(parse('folder', data).row) };
  if (kind === 'workspace') return { kind, usage: parse(kind, data) };
  const { row, media_ids } = parse('post', data);
  return { kind: 'post', post: eventPostFromRow(row, media_ids) };
}
