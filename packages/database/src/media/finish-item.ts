import type { ActiveMedia, FailedMedia, MediaItem, Uuid } from '@postshelf/domain';
import type { Queries } from '../store/store.ts';
import { mediaFromRow, mediaToRow } from './media-rows.ts';

/** What an item that was being made has become. */
interface Outcome {
  readonly item: ActiveMedia | FailedMedia;
  readonly cover: ActiveMedia | null;
}

/**
 * Makes of an item what `decide` says to it as it is now, and keeps its cover, within a transaction. The job or ticket
 * that said the item is being made has to be gone already, as the schema wants it.
 *
 * @param status what the schema kept the item in as long as it had that job or ticket
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
