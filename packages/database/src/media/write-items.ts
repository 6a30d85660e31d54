import {
  type ActiveMedia,
  type CoverOutcome,
  type FailedMedia,
  type Folder,
  kindOf,
  type MediaItem,
  refuseFolder,
  type Uuid,
} from '@postshelf/domain';
import type { SelectQueryBuilder } from 'kysely';
import { addJob } from '../jobs/jobs.ts';
import { newPreviews } from '../previews/preview-repository.ts';
import type { Queries } from '../store/dialect.ts';
import { insertOnce } from '../store/insert-once.ts';
import { insertInWorkspace } from '../store/row-locks.ts';
import type { Tables } from '../store/tables.ts';
import { mediaToRow } from './media-rows.ts';
import { findTags } from './tags.ts';

const insertMedia = insertOnce('media');
const insertPreviews = insertOnce('previews');

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

/**
 * Inserts new items: all of them, or none if one can't be in its folder.
 *
 * @param coversDue ids of the items whose covers are made later
 * @throws Refusal `not_found` if the workspace doesn't exist any more
 */
export async function insertItems(
  queries: Queries,
  items: readonly MediaItem[],
  coversDue: readonly Uuid[] = [],
): Promise<'kept' | 'folder_missing'> {
  for (const item of items) if (await refuseFolderOf(queries, item)) return 'folder_missing';
  for (const item of items) await insertInWorkspace(insertMedia(queries, mediaToRow(item, [])));
  for (const item of items) await addPreviewJob(queries, item);
  for (const item of items) if (coversDue.includes(item.id)) await addCoverJob(queries, item);
  return 'kept';
}

/** @param tags the tags of a restored item */
export async function insertItem(queries: Queries, item: MediaItem, tags: readonly string[] = []): Promise<void> {
  await insertMedia(queries, mediaToRow(item, tags));
  await addPreviewJob(queries, item);
}

async function addPreviewJob(queries: Queries, item: MediaItem): Promise<void> {
  if (item.status !== 'active' || kindOf(item.content.type) !== 'image') return;
  await insertPreviews(queries, newPreviews(item.id));
  await addJobOf(queries, 'preview', item);
}

type Aliases = SelectQueryBuilder<Tables, 'duplicates', { id: Uuid }>;

/** @param limit maximum number of deleted rows; deleting the default number takes a few milliseconds */
export async function removeAliases(
  queries: Queries,
  select: (aliases: Aliases) => Aliases,
  limit = 500,
): Promise<number> {
  const some = select(queries.selectFrom('duplicates').select('id')).limit(limit);
  const { numDeletedRows } = await queries.deleteFrom('duplicates').where('id', 'in', some).executeTakeFirst();
  return Number(numDeletedRows);
}

export const addCoverJob = (queries: Queries, item: MediaItem): Promise<void> => addJobOf(queries, 'cover', item);

const addJobOf = (queries: Queries, kind: 'cover' | 'preview', { id, workspaceId, updatedAt }: MediaItem) =>
  addJob(queries, { kind, subjectId: id, workspaceId, payload: null }, { dueAt: updatedAt }, updatedAt);

/**
 * Stores the final state of a pending item, and its cover. The schema requires that its import, fit or presigned upload
 * has been deleted before.
 */
export async function finishItem(
  queries: Queries,
  item: ActiveMedia | FailedMedia,
  cover: CoverOutcome,
): Promise<void> {
  const row = mediaToRow(item, await findTags(queries, item.id));
  await queries.updateTable('media').set(row).where('id', '=', item.id).execute();
  await addPreviewJob(queries, item);
  if (cover === 'due') await addCoverJob(queries, item);
  else if (cover !== null) await insertItem(queries, cover);
}
