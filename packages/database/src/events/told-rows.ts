import type { LibraryEvent, Told, Uuid } from '@postshelf/domain';
import { folderFromRow } from '../folders/folder-rows.ts';
import { type ItemRow, withCover } from '../media/media-rows.ts';
import { toldFromRow } from '../posts/post-rows.ts';
import type { EventRow, FolderRow, PostRow } from '../store/tables.ts';

const columnsOf = <Row>(columns: Readonly<Record<keyof Row, true>>) => Object.keys(columns);

/**
 * The columns of which the databases make the JSON of an event, for it never leaves them. An event is read by a later
 * release for a day: a column that is added here has to be optional in the row that is parsed below, until no event
 * lacks it; one that is renamed keeps its old name there, too.
 */
export const ITEM_COLUMNS = columnsOf<ItemRow>({
  id: true,
  workspace_id: true,
  folder_id: true,
  name: true,
  full_name: true,
  label: true,
  alt_text: true,
  fitted_from: true,
  created_at: true,
  updated_at: true,
  status: true,
  type: true,
  size: true,
  sha256: true,
  width: true,
  height: true,
  time: true,
  cover_of: true,
  error_message: true,
  details: true,
});

type ToldFolderRow = Omit<FolderRow, 'name_key'>;

export const FOLDER_COLUMNS = columnsOf<ToldFolderRow>({
  id: true,
  workspace_id: true,
  parent_id: true,
  name: true,
  is_system: true,
  created_at: true,
  updated_at: true,
});

type ToldPostRow = Omit<PostRow, 'text'>;

export const POST_COLUMNS = columnsOf<ToldPostRow>({
  id: true,
  workspace_id: true,
  profile_id: true,
  external_id: true,
  published_at: true,
  impressions: true,
  likes: true,
  comments: true,
  shares: true,
  saves: true,
  clicks: true,
  created_at: true,
  updated_at: true,
});

/** Of media with their cover, of posts with the ids of their media in order. */
interface ToldRows {
  readonly media: { readonly row: ItemRow; readonly cover: ItemRow | null };
  readonly folder: { readonly row: ToldFolderRow };
  readonly post: { readonly row: ToldPostRow; readonly media_ids: readonly Uuid[] };
}

const parse = <Kind extends keyof ToldRows>(_: Kind, json: string): ToldRows[Kind] => JSON.parse(json);

export const eventFromRow = (row: EventRow): LibraryEvent => ({
  id: row.id,
  type: row.type,
  workspaceId: row.workspace_id,
  at: row.at,
  told: toldOf(row),
});

function toldOf({ type, resource_id: id, data }: EventRow): Told {
  const [kind, what] = type.split('.', 2);
  if (what === 'deleted' || data === null) return { kind: 'deleted', id };
  if (kind === 'media') {
    const { row, cover } = parse('media', data);
    return { kind, media: withCover(row, cover ?? undefined) };
  }
  if (kind === 'folder') return { kind, folder: folderFromRow(parse('folder', data).row) };
  const { row, media_ids } = parse('post', data);
  return { kind: 'post', post: toldFromRow(row, media_ids) };
}
