import {
  type ActiveMedia,
  type FailedMedia,
  type Folder,
  type MediaItem,
  refuseFolder,
  type Uuid,
} from '@postshelf/domain';
import type { Queries } from '../store/store.ts';
import { mediaFromRow, mediaToRow } from './media-rows.ts';

/** Why the item can't be in its folder, which stays as it is until the transaction ends; null when it can. */
export async function refuseFolderOf(queries: Queries, item: MediaItem): Promise<'folder_missing' | null> {
  return refuseFolder(item, item.folderId === null ? null : await lockFolder(queries, item.folderId));
}

async function lockFolder(queries: Queries, id: Uuid): Promise<Pick<Folder, 'workspaceId'> | null> {
  const row = await queries
    .selectFrom('folders')
    .select('workspace_id')
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
  return row ? { workspaceId: row.workspace_id } : null;
}

/** Keeps new items within a transaction: all of them, or none where one can't be in its folder. */
export async function insertItems(queries: Queries, items: readonly MediaItem[]): Promise<'kept' | 'folder_missing'> {
  for (const item of items) if (await refuseFolderOf(queries, item)) return 'folder_missing';
  for (const item of items) await queries.insertInto('media').values(mediaToRow(item)).execute();
  return 'kept';
}

/** What an item that was being made has become. */
interface Outcome {
  readonly item: ActiveMedia | FailedMedia;
  readonly cover: ActiveMedia | null;
}

/**
 * Makes of an item what `decide` says to it as it is now, and keeps its cover, within a transaction. The import's or
 * presigned upload's row has to be gone already: the schema allows it beside an item that is being made alone.
 *
 * @param status what the schema kept the item in as long as it had that row
 */
export async function finishItem<Status extends 'processing' | 'temporary'>(
  queries: Queries,
  id: Uuid,
  status: Status,
  decide: (item: MediaItem & { readonly status: Status }) => Outcome,
): Promise<void> {
  const row = await queries.selectFrom('media').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const current = mediaFromRow(row);
  if (!isIn(current, status)) throw new Error(`The media item ${id} was to be ${status} but is ${current.status}`);
  const { item, cover } = decide(current);
  await queries.updateTable('media').set(mediaToRow(item)).where('id', '=', id).execute();
  if (cover !== null) await queries.insertInto('media').values(mediaToRow(cover)).execute();
}

const isIn = <Status>(item: MediaItem, status: Status): item is MediaItem & { readonly status: Status } =>
  item.status === status;
