import { UNCONFIRMED_LIFETIME, type Uuid, versionOfMedia } from '@postshelf/domain';
import { findByAnyId } from '../duplicates/find-by-any-id.ts';
import type { Ports } from '../ports.ts';
import { unlessChanged } from '../unless-changed.ts';
import { withUploadLease } from './upload-lease.ts';

const BATCH = 100;

/**
 * Removes items whose upload URL expired at least a day ago without the upload being confirmed, and records the
 * deletion of their files. Also records the deletion of files that were sent for items that no longer wait for one.
 * Files whose id has no row are kept longer, because this database may be an older copy that lacks the row.
 *
 * @param unknownBefore milliseconds since the epoch; files without a row that were sent before then are removed; null
 *   keeps them
 * @returns the number of removed items, the number of deleted files that no item waited for, and the size in bytes of
 *   all deleted files
 */
export async function removeExpiredUploads(
  ports: Pick<Ports, 'presign' | 'presignStorage' | 'deletions' | 'media' | 'duplicates' | 'clock' | 'ids'>,
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
    const isItem = presigned !== null && (await removeExpired(ports, id, before));
    if (presigned && !isItem) continue;
    const recorded = await ports.deletions.record([{ id, fullName: null, deletedAt: now }]);
    if (isItem) removed.items += 1;
    else removed.files += recorded;
    if (isItem || recorded > 0) removed.bytes += size;
  }
  for (let last = -1; removed.items > last; ) {
    last = removed.items;
    for (const id of await ports.presign.expired(before, BATCH))
      if (await removeExpired(ports, id, before)) removed.items += 1;
  }
  return removed;
}

/**
 * Removes an expired item under its lease, so that no request confirms it or writes to it meanwhile.
 *
 * @returns false if a request has confirmed it or written to it, or is doing so
 */
async function removeExpired(
  ports: Pick<Ports, 'presign' | 'media' | 'clock' | 'ids'>,
  id: Uuid,
  before: number,
): Promise<boolean> {
  const removed = await withUploadLease(ports, id, async () => {
    const [presigned, found] = [await ports.presign.find(id), await ports.media.find(id)];
    if (!presigned || presigned.expiresAt >= before || found?.item.status !== 'temporary') return null;
    return ports.media.delete(id, ports.clock.now(), [versionOfMedia(found)]).catch(unlessChanged);
  });
  return removed?.result !== undefined && removed.result !== null;
}
