import type { ActiveMedia, StoredObject } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { findLinked } from './find-linked.ts';

/**
 * What a `link` shows: the item ({@link findLinked}) and its object. null where there is none.
 *
 * @param onMissing hears of an active item whose object isn't there; one that is being deleted has none any more
 */
export async function openMedia(
  ports: Pick<Ports, 'media' | 'storage' | 'workspaces'>,
  fullName: string,
  onMissing: (item: ActiveMedia) => void = () => undefined,
): Promise<{ readonly item: ActiveMedia; readonly object: StoredObject } | null> {
  const item = await findLinked(ports, fullName);
  if (item === null) return null;
  const object = await ports.storage.open(fullName);
  if (object === null && (await findLinked(ports, fullName)) !== null) onMissing(item);
  return object && { item, object };
}
