import type { Fence, StorageMarker, Uuid } from '@postshelf/domain';
import { type OwnershipPorts, OwnershipRefused, sampleStorage } from '../library/ownership.ts';

export interface MarkedTarget {
  readonly library: Uuid;
  /** null if the database is in use. The objects are then copied before the database is moved. */
  readonly fence: Fence | null;
}

/**
 * Marks the target as the library's before the first object is copied. The target may be empty, or have objects of an
 * earlier copy. A copy that is made before the move sets no fence, because a database in use keeps changing its own
 * fence.
 *
 * @throws OwnershipRefused if the target has another library's media, or a restore wasn't finished
 */
export async function markTarget(ports: OwnershipPorts): Promise<MarkedTarget> {
  const { id, generation } = await ports.library.findOrCreate(ports.ids.next(), ports.clock.now());
  const mark = await ports.marker.read();
  const fence = (await ports.fence.isLeased(ports.clock.now())) ? null : await ports.fence.find();
  if (mark === null) {
    const sample = await sampleStorage(ports);
    if (sample.known * 2 < sample.objects)
      throw new OwnershipRefused({ reason: 'unknown_media', id, sample }, ports.locations);
  } else {
    if (mark.restoring !== null) throw new OwnershipRefused({ reason: 'restoring' }, ports.locations);
    if (mark.library !== null && mark.library !== id)
      throw new OwnershipRefused({ reason: 'other_library', marked: mark.library, id }, ports.locations);
  }
  // After the database was moved, the mark may have the fence of the new database, which must not be replaced.
  const mayReplace = fence !== null && (fence.movedTo === null || mark?.fence === undefined);
  const current = mayReplace ? fence.current : null;
  if (mark === null || current !== null)
    await ports.marker.write({ library: id, generation, restoring: null, ...(current !== null && { fence: current }) });
  return { library: id, fence };
}

/**
 * Marks the source as moved, so that a service that starts on it is read-only. The source isn't marked if the database
 * was used after the target was marked, because the copy may have missed objects that were added then.
 *
 * @param to the target's name, for people to read
 * @returns whether the source is marked
 */
export async function markSource(
  { fence, clock }: Pick<OwnershipPorts, 'fence' | 'clock'>,
  target: MarkedTarget,
  source: StorageMarker,
  to: string,
): Promise<boolean> {
  const isLeased = await fence.isLeased(clock.now());
  if (isLeased || target.fence === null || target.fence.current !== (await fence.find()).current) return false;
  const mark = await source.read();
  if (mark === null || mark.library !== target.library || mark.restoring !== null) return false;
  return source.swap(mark, { ...mark, movedTo: to });
}
