import type { WithheldCollection } from '@postshelf/domain';
import { type OwnershipPorts, requireOwnership } from '../library/ownership.ts';
import type { Ports } from '../ports.ts';
import { reapUploads } from '../presign/reap-uploads.ts';
import { finishRemovals } from '../workspaces/delete-workspace.ts';
import { findOrphans, isOrphan, type Orphans, withholdCollection } from './find-orphans.ts';
import { missingFromTrash } from './trash.ts';

const DAY = 24 * 60 * 60 * 1000;

/**
 * Milliseconds after which bytes belong to no request any more, where the storage can't tell: no request is answered
 * so late.
 */
export const GARBAGE_AGE = DAY;

export interface CollectOptions {
  /** Default {@link GARBAGE_AGE}. */
  readonly age?: number;
  /** Milliseconds that what was set aside, and uploads of ids that no row has, are kept. Default 7 days. */
  readonly trashAge?: number;
  /** Percent of all objects that may be set aside at once. Default 10. */
  readonly maxOrphansPercent?: number;
  /** Whether a person has said that what no item has may go, whatever there is to be said against it. Default false. */
  readonly hasConsent?: boolean;
  /** Ends the collection between two objects; what is left is for the next one. */
  readonly signal?: AbortSignal | undefined;
}

export const COLLECT_DEFAULTS = {
  age: GARBAGE_AGE,
  trashAge: 7 * DAY,
  maxOrphansPercent: 10,
  hasConsent: false,
  signal: undefined,
} as const satisfies CollectOptions;

export interface GarbageReport {
  /** Staged uploads that were dropped. */
  readonly staged: number;
  /** Objects without an item that were set aside: they lie in the trash. */
  readonly setAside: number;
  /** Objects that were brought back from the trash, as an item has them and missed them. */
  readonly restored: number;
  /** Objects that were removed from the trash, their time there being over. */
  readonly trash: number;
  /** Presigned uploads that nobody confirmed, and were removed. */
  readonly unconfirmed: number;
  /** Files that came for items which don't wait for one, and were removed. */
  readonly uploads: number;
  /** Bytes that were freed, as far as the storage tells. What lies in the trash is not. */
  readonly bytes: number;
  /** Why no object was set aside or removed from the trash, though there were some without an item; null else. */
  readonly withheld: WithheldCollection | null;
}

type GarbagePorts = OwnershipPorts & Pick<Ports, 'presignStorage' | 'presign' | 'trash' | 'workspaces'>;

/**
 * Takes away what crashes left: staged bytes and objects without a row, as soon as the storage knows that nobody works
 * with them, else once they are older than `age`. Nothing in flight is touched. Objects are set aside in the trash and
 * removed when they have lain there for `trashAge`; one that an item misses comes back. Where there is reason to doubt
 * that they are rubbish ({@link refuseCollection}) nothing of that is done without consent. Run it as often as you like, from
 * any number of processes.
 *
 * @throws OwnershipRefused where the objects are not of the database's library: nothing was removed
 */
export async function collectGarbage(ports: GarbagePorts, options: CollectOptions = {}): Promise<GarbageReport> {
  const { age, trashAge, maxOrphansPercent, hasConsent, signal } = { ...COLLECT_DEFAULTS, ...options };
  let { library } = await requireOwnership(ports);
  if (hasConsent && library.restoredAt !== null) library = await ports.library.update({ restoredAt: null });
  let bytes = 0;
  const onFreed = (freed: number): void => {
    bytes += freed;
  };
  const now = ports.clock.now();
  // An object that can't be set aside now has no row any more, and is found below.
  await finishRemovals(ports, () => undefined);
  const staged = await ports.storage.sweepStaging(now - age, onFreed);
  const restored = await restoreMissing(ports, signal);
  const orphans = await findOrphans(ports, library, now - age);
  const withheld = hasConsent ? null : withholdCollection(orphans, library, maxOrphansPercent);
  // What an item misses may still lie in the trash of a collection that was ended early; and what rows have forgotten that
  // are older than the storage is removed with consent alone, also where there is no orphan to ask about.
  const mayRemove = withheld === null && library.restoredAt === null && !signal?.aborted;
  // Emptied first: a full disk needs the room to set aside.
  const trash = mayRemove ? await ports.trash.empty(now - trashAge, onFreed) : 0;
  const setAside = withheld ? 0 : await setAsideAll(ports, orphans, signal);
  const reaped = await reapUploads(ports, mayRemove ? now - trashAge : null);
  bytes += reaped.bytes;
  return { staged, setAside, restored, trash, unconfirmed: reaped.items, uploads: reaped.files, bytes, withheld };
}

async function restoreMissing(ports: GarbagePorts, signal: AbortSignal | undefined): Promise<number> {
  let count = 0;
  for await (const trashed of missingFromTrash(ports)) {
    if (signal?.aborted) break;
    if ((await ports.trash.restore(trashed)) === 'brought_back') count += 1;
  }
  return count;
}

async function setAsideAll(
  ports: Pick<Ports, 'media' | 'trash' | 'clock'>,
  { named }: Orphans,
  signal: AbortSignal | undefined,
): Promise<number> {
  const at = ports.clock.now();
  let count = 0;
  for (const { key } of named) {
    if (signal?.aborted) break;
    if ((await isOrphan(ports, key)) && (await ports.trash.setAside(key, at))) count += 1;
  }
  return count;
}
