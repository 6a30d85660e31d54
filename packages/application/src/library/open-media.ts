import { type ActiveMedia, isUsable, parseUuid, type StoredObject } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/**
 * What a `link` shows: the object of an `active` item, by its full name. Links are public: whoever has one may look.
 * null for every other path, also one of an item that isn't `active` (yet).
 */
export async function openMedia(
  ports: Pick<Ports, 'media' | 'storage'>,
  fullName: string,
): Promise<{ readonly item: ActiveMedia; readonly object: StoredObject } | null> {
  const id = parseUuid(fullName.split('/')[1]);
  const found = id && (await ports.media.find(id));
  if (!found || found.item.fullName !== fullName || !isUsable(found.item)) return null;
  const object = await ports.storage.open(fullName);
  return object && { item: found.item, object };
}
