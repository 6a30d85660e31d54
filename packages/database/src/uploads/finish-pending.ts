import type { MediaItem, PendingOutcome, Uuid } from '@postshelf/domain';
import { lockBytes, lockDuplicate } from '../duplicates/find-duplicate.ts';
import { mediaFromRow } from '../media/media-rows.ts';
import { finishItem } from '../media/write-items.ts';
import type { Dialect, Queries } from '../store/dialect.ts';

/** With the owner who claims to hold the lease. */
interface Pending<Status extends 'processing' | 'temporary'> {
  /** Has a row for the item as long as it waits. */
  readonly table: 'imports' | 'presigned_uploads' | 'fits';
  readonly status: Status;
  readonly id: Uuid;
  readonly owner: string;
}

/**
 * Ends a pending item as `decide` says for its current state: it becomes active or failed, or an alias of the item with
 * the same bytes. Returns false and changes nothing if the owner doesn't hold the lease, or if no other item has the
 * bytes of a mere alias.
 */
export async function finishPending<Status extends 'processing' | 'temporary'>(
  queries: Queries,
  dialect: Dialect,
  pending: Pending<Status>,
  decide: (item: MediaItem & { readonly status: Status }) => PendingOutcome,
): Promise<boolean> {
  const { table, id } = pending;
  const item = await lockHeld(queries, pending);
  if (item === null) return false;
  const outcome = decide(item);
  if (await becomeAlias(queries, dialect, item, outcome)) return true;
  if (outcome.item === null) return false;
  await queries.deleteFrom(table).where('media_id', '=', id).execute();
  await finishItem(queries, outcome.item, outcome.cover);
  return true;
}

/** Locks the item and its lease until the transaction ends; null if the owner doesn't hold the lease. */
async function lockHeld<Status extends 'processing' | 'temporary'>(
  queries: Queries,
  { table, id, status, owner }: Pending<Status>,
): Promise<(MediaItem & { readonly status: Status }) | null> {
  const row = await queries
    .selectFrom('media')
    // Kysely can't type a union of tables.
    .innerJoin(`${table as 'imports'} as waiting`, 'waiting.media_id', 'media.id')
    .selectAll('media')
    .where('media.id', '=', id)
    .where('waiting.lease_owner', '=', owner)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return null;
  const item = mediaFromRow(row);
  if (!isIn(item, status)) throw new Error(`The media item ${id} should be ${status} but is ${item.status}`);
  return item;
}

const isIn = <Status>(item: MediaItem, status: Status): item is MediaItem & { readonly status: Status } =>
  item.status === status;

/** Removes the item if another has the bytes, and makes its id an alias of that. Returns whether it did. */
async function becomeAlias(
  queries: Queries,
  dialect: Dialect,
  { id, workspaceId }: MediaItem,
  outcome: PendingOutcome,
): Promise<boolean> {
  const wanted = aliasOf(outcome);
  if (wanted === null) return false;
  await lockBytes(queries, dialect, workspaceId, [wanted.sha256]);
  const other = await lockDuplicate(queries, workspaceId, wanted.sha256);
  if (other === null) return false;
  await queries.deleteFrom('media').where('id', '=', id).execute();
  const row = { id, media_id: other.item.id, expires_at: wanted.until };
  await queries.insertInto('duplicates').values(row).execute();
  return true;
}

/** null if the outcome allows no alias. */
function aliasOf(outcome: PendingOutcome): { readonly sha256: string; readonly until: number } | null {
  if (outcome.item === null) return { sha256: outcome.sha256, until: outcome.aliasUntil };
  if (outcome.item.status === 'failed' || !('aliasUntil' in outcome)) return null;
  const { sha256 } = outcome.item.content;
  return sha256 === null || outcome.aliasUntil === undefined ? null : { sha256, until: outcome.aliasUntil };
}
