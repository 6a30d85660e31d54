import {
  type EventType,
  FIRST_VERSION,
  type LibraryEvent,
  type Told,
  type Uuid,
  type WorkspaceUsage,
} from '@postshelf/domain';
import { folderFromRow } from '../folders/folder-rows.ts';
import { type ItemRow, withCover } from '../media/media-rows.ts';
import { toldFromRow } from '../posts/post-rows.ts';
import type { EventRow, FolderRow, PostRow } from '../store/tables.ts';

/** `plain`: a text without quotes, backslashes and control characters, such as an id. */
export type ColumnKind = 'plain' | 'text' | 'number';

export type Columns = readonly (readonly [name: string, kind: ColumnKind])[];

const columnsOf = <Row>(columns: Readonly<Record<keyof Row, ColumnKind>>): Columns => Object.entries(columns);

/**
 * The columns of which the databases make the JSON of an event, for it never leaves them. An event is read by a later
 * release for a day: a column that is added here has to be optional in the row that is parsed below, until no event
 * lacks it; one that is renamed keeps its old name there, too.
 */
export const ITEM_COLUMNS = columnsOf<Omit<ItemRow, 'created_by' | 'created_by_kind'>>({
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

type ToldFolderRow = Omit<FolderRow, 'name_key'>;

export const FOLDER_COLUMNS = columnsOf<ToldFolderRow>({
  id: 'plain',
  workspace_id: 'plain',
  parent_id: 'plain',
  name: 'text',
  is_system: 'number',
  version: 'number',
  created_at: 'number',
  updated_at: 'number',
});

type ToldPostRow = Omit<PostRow, 'text'>;

export const POST_COLUMNS = columnsOf<ToldPostRow>({
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

/** Events of before version 31 of the schema lack it. */
type Parsed<Row extends { readonly version: number }> = Omit<Row, 'version'> & { readonly version?: number };

const versioned = <Row extends object>(row: Row) => ({ version: FIRST_VERSION, ...row });

/** Of media with their cover, of posts with the ids of their media in order. */
interface ToldRows {
  readonly media: { readonly row: Parsed<ItemRow>; readonly cover: Parsed<ItemRow> | null };
  readonly folder: { readonly row: Parsed<ToldFolderRow> };
  readonly post: { readonly row: Parsed<ToldPostRow>; readonly media_ids: readonly Uuid[] };
  /** Events of before version 33 of the schema lack the trash. */
  readonly workspace: Omit<WorkspaceUsage, 'trashBytes' | 'trashItems'>;
}

const parse = <Kind extends keyof ToldRows>(_: Kind, json: string): ToldRows[Kind] => JSON.parse(json);

/** Of no mark. */
export type ToldRow = EventRow & { readonly type: EventType };

export const eventFromRow = (row: ToldRow): LibraryEvent => ({
  id: row.id,
  type: row.type,
  workspaceId: row.workspace_id,
  at: row.at,
  told: toldOf(row),
});

function toldOf({ type, resource_id: id, data }: ToldRow): Told {
  const [kind, what] = type.split('.', 2);
  if (what === 'deleted' || data === null) return { kind: 'deleted', id };
  if (kind === 'media') {
    const { row, cover } = parse('media', data);
    return { kind, media: withCover(versioned(row), cover ? versioned(cover) : undefined) };
  }
  if (kind === 'folder') return { kind, folder: folderFromRow(versioned(parse('folder', data).row)) };
  if (kind === 'workspace') return { kind, usage: { trashBytes: 0, trashItems: 0, ...parse(kind, data) } };
  const { row, media_ids } = parse('post', data);
  return { kind: 'post', post: toldFromRow(versioned(row), media_ids) };
}
