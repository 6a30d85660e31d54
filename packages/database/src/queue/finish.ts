import type { ImportOutcome, ProcessingMedia, Uuid } from '@postshelf/domain';
import { mediaFromRow, mediaToRow } from '../repositories/media-rows.ts';
import type { Queries } from '../repositories/store.ts';

/**
 * Ends an import that the owner still holds, within a transaction: the job goes before the item changes, as the schema
 * wants it.
 */
export async function finishImport(
  queries: Queries,
  mediaId: Uuid,
  owner: string,
  decide: (item: ProcessingMedia) => ImportOutcome,
): Promise<boolean> {
  const { numDeletedRows } = await queries
    .deleteFrom('imports')
    .where('media_id', '=', mediaId)
    .where('lease_owner', '=', owner)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  const { item, cover } = decide(await processingItem(queries, mediaId));
  await queries.updateTable('media').set(mediaToRow(item)).where('id', '=', mediaId).execute();
  if (cover !== null) await queries.insertInto('media').values(mediaToRow(cover)).execute();
  return true;
}

/** The schema keeps a job's item in this state; the types can't know. */
async function processingItem(queries: Queries, id: Uuid): Promise<ProcessingMedia> {
  const row = await queries.selectFrom('media').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const item = mediaFromRow(row);
  if (item.status !== 'processing') throw new Error(`The media item ${id} has an import but is ${item.status}`);
  return item;
}
