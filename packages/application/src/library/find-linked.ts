import { type ActiveMedia, isUsable, parseUuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/**
 * The item that a `link` shows, by its full name. Links are public: whoever has one may look. null for every other path,
 * also one of an item that isn't `active` (yet).
 */
export async function findLinked(ports: Pick<Ports, 'media'>, fullName: string): Promise<ActiveMedia | null> {
  const id = parseUuid(fullName.split('/')[1]);
  const found = id && (await ports.media.find(id));
  return found && found.item.fullName === fullName && isUsable(found.item) ? found.item : null;
}
