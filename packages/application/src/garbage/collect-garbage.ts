import {
  AUDIT_LIFE,
  DEFAULT_MAX_ORPHANS_PERCENT,
  DEFAULT_TRASH_DAYS,
  DELIVERY_LIFE,
  EVENT_LIFE,
  trashEnd,
  type WithheldCollection,
} from '@postshelf/domain';
import { pruneArchives } from '../archives/archives.ts';
import { pruneAnswers } from '../idempotency/answer-once.ts';
import { establishOwnership, type OwnershipPorts, OwnershipRefused } from '../library/ownership.ts';
import type { Ports, Settings } from '../ports.ts';
import { removeExpiredUploads } from '../presign/remove-expired.ts';
import type { ConfirmPorts } from '../presign/settle-upload.ts';
import { purgeOrphanPreviews } from '../previews/orphan-previews.ts';
import { pruneInBatches } from '../prune-in-batches.ts';
import { settleCompleteUploads } from '../resumable/settle-complete.ts';
import { pruneSessions } from '../sessions/sessions.ts';
import { pruneTokens } from '../tokens/run-tokens.ts';
import { arrangeObjects, purgeDueTrash } from '../trash/trash.ts';
import { finishRemovals } from '../workspaces/delete-workspace.ts';
import { findOrphans, isOrphan, type Orphans, withholdCollection } from './find-orphans.ts';
import { missingFromTrash } from './restore-from-trash.ts';

const DAY = 24 * 60 * 60 * 1000;

/**
 * Age in milliseconds from which bytes can't belong to a running request. It is used if the storage doesn't know
 * whether they do.
 */
export const GARBAGE_AGE = DAY;

export interface CollectOptions {
  readonly age?: number;
  /** Milliseconds for which objects stay in the trash and uploads without a row are kept. Default: {@link DEFAULT_TRASH_DAYS}. */
  readonly trashAge?: number;
  /** Maximum number of orphans, in percent of all objects. Default: {@link DEFAULT_MAX_ORPHANS_PERCENT}. */
  readonly maxOrphansPercent?: number;
  /** Whether an operator has agreed to remove objects despite all doubts. Default: false. */
  readonly hasConsent?: boolean;
  /**
   * Whether it is certain that no copy of the database is in use ({@link FenceKeeper.isOwner}). Otherwise nothing is
   * purged or moved: everything that was stored after the copy was made would look like garbage to the copy. Default:
   * true.
   */
  readonly isOwner?: boolean;
  /** Aborting the signal leaves the rest to the next collection. */
  readonly signal?: AbortSignal | undefined;
}

export const COLLECT_DEFAULTS = {
  age: GARBAGE_AGE,
  trashAge: DEFAULT_TRASH_DAYS * DAY,
  maxOrphansPercent: DEFAULT_MAX_ORPHANS_PERCENT,
  hasConsent: false,
  isOwner: true,
  signal: undefined,
} as const satisfies CollectOptions;

export interface GarbageReport {
  readonly staged: number;
  readonly trashed: number;
  readonly restored: number;
  readonly trash: number;
  readonly unconfirmed: number;
  /** Number of uploaded files that were removed because no item was waiting for them. */
  readonly uploads: number;
  readonly previews: number;
  /** Number of freed bytes, as far as the storage reports it; moving objects to the trash frees no bytes. */
  readonly bytes: number;
  /** The reason why nothing was moved or removed although some objects have no item; otherwise null. */
  readonly withheld: WithheldCollection | null;
}

type GarbagePorts = OwnershipPorts &
  ConfirmPorts &
  Pick<
    Ports,
    | 'presignStorage'
    | 'archives'
    | 'deletions'
    | 'trashed'
    | 'presign'
    | 'duplicates'
    | 'trash'
    | 'workspaces'
    | 'events'
    | 'deliveries'
    | 'audit'
    | 'idempotency'
    | 'sessions'
    | 'tokens'
    | 'previews'
    | 'previewStorage'
  > &
  Pick<Settings, 'isPublic' | 'undoTime'>;

/**
 * Removes what crashes left behind: staged bytes and objects without a row that no process uses, according to the
 * storage or their age. Objects go to the trash, are purged after `trashAge`, and are restored if an item lacks them.
 * If in doubt ({@link refuseCollection}), nothing is moved or removed without consent.
 *
 * @throws OwnershipRefused if the objects don't belong to the database's library; nothing was removed. AggregateError at
 *   the end, if complete uploads could not be settled
 */
export async function collectGarbage(ports: GarbagePorts, options: CollectOptions = {}): Promise<GarbageReport> {
  const { age, trashAge, maxOrphansPercent, hasConsent, isOwner, signal } = { ...COLLECT_DEFAULTS, ...options };
  // These steps only remove rows, so they don't depend on whose storage it is, which is checked below.
  await pruneAnswers(ports, signal);
  await pruneSessions(ports, signal);
  await ports.events.endListening(ports.clock.now());
  await pruneTokens(ports, signal);
  await pruneArchives(ports, signal);
  await pruneInBatches((limit) => ports.events.prune(ports.clock.now() - EVENT_LIFE, limit), signal);
  await pruneInBatches((limit) => ports.deliveries.prune(ports.clock.now() - DELIVERY_LIFE, limit), signal);
  await pruneInBatches((limit) => ports.audit.prune(ports.clock.now() - AUDIT_LIFE, limit), signal);
  await purgeDueTrash(ports, signal);
  const { problem, ...ownership } = await establishOwnership(ports);
  if (problem !== null) throw new OwnershipRefused(problem, ports.locations);
  let { library } = ownership;
  if (hasConsent && library.restoredAt !== null) library = await ports.library.update({ restoredAt: null });
  let bytes = 0;
  const onFreed = (freed: number): void => {
    bytes += freed;
  };
  const now = ports.clock.now();
  // Objects that can't be moved now are found again below.
  if (isOwner) await finishRemovals(ports, { ...(signal && { signal }) });
  const staged = await ports.storage.discardAbandoned(now - age, onFreed);
  if (ports.isPublic && isOwner) await arrangeObjects(ports, signal);
  const restored = await restoreMissing(ports, signal);
  const orphans = await findOrphans(ports, library, now - age);
  const withheld = hasConsent ? null : withholdCollection(orphans, library, maxOrphansPercent);
  if (!isOwner) return { ...NONE, staged, restored, bytes, withheld };
  // A collection that ended early may have left objects in the trash that items lack. In a restored library the trash
  // is only emptied with consent.
  const mayRemove = withheld === null && library.restoredAt === null && !signal?.aborted;
  // The trash is emptied first, because moving objects may need space that a full disk lacks.
  const trash = mayRemove ? await ports.trash.purgeBefore(trashEnd(now, trashAge), onFreed) : 0;
  const trashed = withheld ? 0 : await trashAll(ports, orphans, signal);
  const faults = await settleCompleteUploads(ports, signal);
  const expired = await removeExpiredUploads(ports, mayRemove ? now - trashAge : null);
  bytes += expired.bytes;
  await pruneInBatches((limit) => ports.duplicates.prune(now, limit), signal);
  const previews = await purgeOrphanPreviews(ports, onFreed, signal);
  if (faults.length > 0) throw new AggregateError(faults, 'Some complete uploads could not be settled.');
  return {
    staged,
    trashed,
    restored,
    trash,
    unconfirmed: expired.items,
    uploads: expired.files,
    previews,
    bytes,
    withheld,
  };
}

const NONE = { trashed: 0, trash: 0, unconfirmed: 0, uploads: 0, previews: 0 } as const;

async function restoreMissing(ports: GarbagePorts, signal: AbortSignal | undefined): Promise<number> {
  let count = 0;
  for await (const trashed of missingFromTrash(ports)) {
    if (signal?.aborted) break;
    if ((await ports.trash.restore(trashed)) === 'restored') count += 1;
  }
  return count;
}

async function trashAll(
  ports: Pick<Ports, 'media' | 'trash' | 'clock'>,
  { named }: Orphans,
  signal: AbortSignal | undefined,
): Promise<number> {
  const at = ports.clock.now();
  let count = 0;
  for (const { key } of named) {
    if (signal?.aborted) break;
    if ((await isOrphan(ports, key)) && (await ports.trash.add(key, at))) count += 1;
  }
  return count;
}
