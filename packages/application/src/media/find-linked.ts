import { type ActiveMedia, isUsable, parseUuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/**
 * The item that a `link` shows, by its full name. Links are public: whoever has one may look. null for every other path,
 * also one of an item that isn't `active` (yet), or of a workspace that is being deleted.
 */
export async function findLinked(
  ports: Pick<Ports, 'media' | 'workspaces'>,
  fullName: string,
): Promise<ActiveMedia | null> {
  const id = parseUuid(fullName.split('/')[1]);
  const found = id && (await ports.media.find(id));
  if (!found || found.item.fullName !== fullName || !isUsable(found.item)) return null;
  return (await ports.workspaces.find(found.item.workspaceId)) ? found.item : null;
}
