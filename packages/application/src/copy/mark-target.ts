import type { Library } from '@postshelf/domain';
import { type OwnershipPorts, OwnershipRefused, sampleStorage } from '../library/ownership.ts';

/**
 * Marks the target of a copy as the library's, before the first object is copied. The target may be empty, or have
 * objects of an earlier copy of the same library.
 *
 * @throws OwnershipRefused if the storage has another library's media, or a restore wasn't finished
 */
export async function markTarget(ports: OwnershipPorts): Promise<Library> {
  const library = await ports.library.findOrCreate(ports.ids.next(), ports.clock.now());
  const mark = await ports.marker.read();
  const { id, generation } = library;
  if (mark !== null) {
    if (mark.restoring !== null) throw new OwnershipRefused({ reason: 'restoring' }, ports.locations);
    if (mark.library === null || mark.library === id) return library;
    throw new OwnershipRefused({ reason: 'other_library', marked: mark.library, id }, ports.locations);
  }
  // Items may lack objects that the copy is going to add.
  const sample = await sampleStorage(ports);
  if (sample.known * 2 < sample.objects)
    throw new OwnershipRefused({ reason: 'unknown_media', id, sample }, ports.locations);
  await ports.marker.write({ library: id, generation, restoring: null });
  return library;
}
