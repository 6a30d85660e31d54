import { UNCONFIRMED_LIFETIME } from '@postshelf/domain';
import { findByAnyId } from '../duplicates/find-by-any-id.ts';
import type { Ports } from '../ports.ts';

const BATCH = 100;

/**
 * Removes items a day after their address expired without a confirmation, and records their files as deletions, as it
 * does files sent for items that no longer wait for one. A file whose id has no row is kept longer, as this database may be an older copy.
 *
 * @param unknownBefore removes files without a row sent before this time, milliseconds since the epoch; null keeps them
 * @returns how many items were removed, how many files that no item waited for, and all their bytes
 */
export async function reapUploads(
  ports: Pick<Ports, 'presign' | 'presignStorage' | 'deletions' | 'media' | 'duplicates' | 'clock'>,
  unknownBefore: number | null,
): Promise<{ readonly items: number; readonly files: number; readonly bytes: number }> {
  const now = ports.clock.now();
  const before = now - UNCONFIRMED_LIFETIME;
  const removed = { items: 0, files: 0, bytes: 0 };
  for await (const { id, size, modifiedAt } of ports.presignStorage.list()) {
    const presigned = await ports.presign.find(id);
    if (presigned && presigned.expiresAt >= before) continue;
    const isOld = unknownBefore !== null && modifiedAt < unknownBefore;
    if (!presigned && !isOld && !(await findByAnyId(ports, id))) continue;
    const isItem = presigned !== null && (await ports.media.remove(id, now)) !== null;
    const recorded = await ports.deletions.record([{ id, fullName: null, deletedAt: now }]);
    if (isItem) removed.items += 1;
    else removed.files += recorded;
    if (isItem || recorded > 0) removed.bytes += size;
  }
  for (let ids = await ports.presign.expired(before, BATCH); ids.length > 0; ) {
    for (const id of ids) {
      if (await ports.media.remove(id, now)) removed.items += 1;
    }
    ids = await ports.presign.expired(before, BATCH);
  }
  return removed;
}
