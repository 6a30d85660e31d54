import type {
  JobKey,
  MediaItem,
  PendingOutcome,
  ProcessingKind,
  ProcessingMedia,
  TemporaryMedia,
  Uuid,
} from '@postshelf/domain';
import { lockBytes, lockDuplicate } from '../duplicates/find-duplicate.ts';
import { completeJob } from '../jobs/jobs.ts';
import { mediaFromRow } from '../media/media-rows.ts';
import { finishItem } from '../media/write-items.ts';
import type { Dialect, Queries } from '../store/dialect.ts';

/** What an item waits for, which is its job or the client's file, and the owner that should hold the lease. */
export type Pending =
  | (JobKey<ProcessingKind> & { readonly owner: string })
  | { readonly kind: 'presigned'; readonly subjectId: Uuid; readonly owner: string };

/** The state of an item that waits for this work. */
type StateOf<Waiting extends Pending> = Waiting['kind'] extends ProcessingKind ? ProcessingMedia : TemporaryMedia;

/**
 * Ends a pending item as `decide` determines from its current state: it becomes active or failed, or an alias of the
 * item with the same bytes. Returns false and changes nothing if the owner doesn't hold the lease, or if `decide`
 * allows nothing but an alias and no other item has the same bytes.
 */
export async function finishPending<Waiting extends Pending>(
  queries: Queries,
  dialect: Dialect,
  pending: Waiting,
  decide: (item: StateOf<Waiting>) => PendingOutcome,
): Promise<boolean> {
  const item = await lockHeld(queries, pending);
  if (item === null) return false;
  const outcome = decide(item);
  if (await becomeAlias(queries, dialect, item, outcome)) return true;
  if (outcome.item === null) return false;
  if (pending.kind === 'presigned') {
    await queries.deleteFrom('presigned_uploads').where('media_id', '=', pending.subjectId).execute();
  } else await completeJob(queries, pending, pending.owner);
  await finishItem(queries, outcome.item, outcome.cover);
  return true;
}

/** Locks the item and its lease until the transaction ends; null if the owner doesn't hold the lease. */
async function lockHeld<Waiting extends Pending>(queries: Queries, pending: Waiting): Promise<StateOf<Waiting> | null> {
  const { kind, subjectId, owner } = pending;
  const media = queries.selectFrom('media').selectAll('media').where('media.id', '=', subjectId);
  const held =
    kind === 'presigned'
      ? media
          .innerJoin('presigned_uploads as waiting', 'waiting.media_id', 'media.id')
          .where('waiting.lease_owner', '=', owner)
      : media
          .innerJoin('jobs as waiting', 'waiting.subject_id', 'media.id')
          .where('waiting.kind', '=', kind)
          .where('waiting.lease_owner', '=', owner);
  const row = await held.forUpdate().executeTakeFirst();
  if (!row) return null;
  const item = mediaFromRow(row);
  const status = kind === 'presigned' ? 'temporary' : 'processing';
  if (item.status !== status) throw new Error(`The media item ${subjectId} should be ${status} but is ${item.status}`);
  return item as StateOf<Waiting>;
}

/**
 * Removes the item if another item has the same bytes, and makes its id an alias of the other. Returns whether it did
 * so.
 */
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

/** Returns null if the outcome allows no alias. */
function aliasOf(outcome: PendingOutcome): { readonly sha256: string; readonly until: number } | null {
  if (outcome.item === null) return { sha256: outcome.sha256, until: outcome.aliasUntil };
  if (outcome.item.status === 'failed' || !('aliasUntil' in outcome)) return null;
  const { sha256 } = outcome.item.content;
  return sha256 === null || outcome.aliasUntil === undefined ? null : { sha256, until: outcome.aliasUntil };
}
