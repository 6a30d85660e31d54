import type { ActiveMedia, StoredObject } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { findLinked } from './find-linked.ts';

/** What a `link` shows: the item ({@link findLinked}) and its object. null where there is none. */
export async function openMedia(
  ports: Pick<Ports, 'media' | 'storage' | 'workspaces'>,
  fullName: string,
): Promise<{ readonly item: ActiveMedia; readonly object: StoredObject } | null> {
  const item = await findLinked(ports, fullName);
  const object = item && (await ports.storage.open(fullName));
  return object && { item, object };
}
