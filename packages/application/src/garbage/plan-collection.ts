import { type Library, type TrashedObject, trashEnd } from '@postshelf/domain';
import { type OwnershipReadPorts, requireOwnership } from '../library/ownership.ts';
import type { Ports } from '../ports.ts';
import { COLLECT_DEFAULTS, type CollectOptions, type GarbageReport } from './collect-garbage.ts';
import { findOrphans, withholdCollection } from './find-orphans.ts';
import { missingFromTrash } from './restore-from-trash.ts';

export interface CollectionPlan extends Pick<GarbageReport, 'trashed' | 'restored' | 'trash' | 'withheld'> {
  readonly objects: number;
}

type PlanPorts = Omit<OwnershipReadPorts, 'storage'> & Pick<Ports, 'storage' | 'trash'>;

/**
 * Returns what `collectGarbage` would do, and changes nothing.
 *
 * @throws OwnershipRefused as `collectGarbage` does; Refusal `unavailable`; UnreadableMark
 */
export async function planCollection(ports: PlanPorts, options: CollectOptions = {}): Promise<CollectionPlan> {
  const { age, trashAge, maxOrphansPercent, hasConsent } = { ...COLLECT_DEFAULTS, ...options };
  const library = await libraryAsCollected(ports);
  const now = ports.clock.now();
  const isOver = ({ trashedAt }: TrashedObject): boolean => trashedAt < trashEnd(now, trashAge);
  let restored = 0;
  let trash = 0;
  for await (const missing of missingFromTrash(ports)) {
    restored += 1;
    if (isOver(missing)) trash -= 1;
  }
  const orphans = await findOrphans(ports, library, now - age);
  const withheld = hasConsent ? null : withholdCollection(orphans, library, maxOrphansPercent);
  if (withheld) return { objects: orphans.objects, trashed: 0, restored, trash: 0, withheld };
  const kept = { objects: orphans.objects, trashed: orphans.named.length, restored, withheld };
  if (!hasConsent && library.restoredAt !== null) return { ...kept, trash: 0 };
  for await (const trashed of ports.trash.list()) if (isOver(trashed)) trash += 1;
  return { ...kept, trash };
}

/** Returns the library as a collection sees it: if the storage's mark was lost, the library counts as restored. */
async function libraryAsCollected(ports: PlanPorts): Promise<Pick<Library, 'createdAt' | 'restoredAt'>> {
  const mark = await ports.marker.read();
  const { createdAt, restoredAt, storageMarkedAt } = await requireOwnership(ports);
  const isMarkLost = mark === null && storageMarkedAt !== null;
  return { createdAt, restoredAt: isMarkLost ? (restoredAt ?? ports.clock.now()) : restoredAt };
}
