import type { Library, StorageMarker } from '@postshelf/domain';
import { type OwnershipPorts, OwnershipRefused, sampleStorage } from '../library/ownership.ts';

/**
 * Marks the target as the library's, before the first object. It may be empty, or have objects of an earlier copy.
 *
 * @throws OwnershipRefused if it has another library's media, or a restore wasn't finished
 */
export async function markTarget(ports: OwnershipPorts): Promise<Library> {
  const library = await ports.library.findOrCreate(ports.ids.next(), ports.clock.now());
  const mark = await ports.marker.read();
  const { current } = await ports.fence.find();
  const { id, generation } = library;
  const own = { library: id, generation, restoring: null, ...(current !== null && { fence: current }) };
  if (mark !== null) {
    if (mark.restoring !== null) throw new OwnershipRefused({ reason: 'restoring' }, ports.locations);
    if (mark.library !== null && mark.library !== id)
      throw new OwnershipRefused({ reason: 'other_library', marked: mark.library, id }, ports.locations);
    // Whatever its fence was: the database goes on with this storage.
    await ports.marker.write(own);
    return library;
  }
  const sample = await sampleStorage(ports);
  if (sample.known * 2 < sample.objects)
    throw new OwnershipRefused({ reason: 'unknown_media', id, sample }, ports.locations);
  await ports.marker.write(own);
  return library;
}

/**
 * Marks the source as moved, so that a service that starts on it is read-only; not while the database is in use, as the
 * copy is then made in advance.
 *
 * @param to the name of the target, for people
 * @returns whether it is marked
 */
export async function markSource(
  { fence, clock }: Pick<OwnershipPorts, 'fence' | 'clock'>,
  { id }: Pick<Library, 'id'>,
  source: StorageMarker,
  to: string,
): Promise<boolean> {
  if (await fence.isLeased(clock.now())) return false;
  const mark = await source.read();
  if (mark === null || mark.library !== id || mark.restoring !== null) return false;
  return source.swap(mark, { ...mark, movedTo: to });
}
