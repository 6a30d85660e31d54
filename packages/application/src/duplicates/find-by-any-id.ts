import { type AccessToken, type MediaWithCover, notFound, parseUuid, type Uuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { requireAccess } from '../tokens/permissions.ts';

type FindPorts = Pick<Ports, 'media' | 'duplicates' | 'clock'>;

/** The item of an id, or that which the id stands for because its file was a duplicate; null when there is neither. */
export async function findByAnyId({ media, duplicates, clock }: FindPorts, id: Uuid): Promise<MediaWithCover | null> {
  // An item may leave its id to another between both looks, but no alias becomes an item.
  return (await media.find(id)) ?? duplicates.resolve(id, clock.now());
}

/**
 * The item of a path where an id that was given out before its bytes were known still counts: looking at an item and
 * confirming it. Whatever changes or deletes means the item that has the id itself (`findMedia`).
 *
 * @throws Refusal `not_found` for a malformed, unknown or foreign id alike
 */
export async function findPromised(ports: FindPorts, token: AccessToken, id: string): Promise<MediaWithCover> {
  const uuid = parseUuid(id);
  // Most ids are an item's own, and this is asked for often: one promise fewer around it.
  const found = uuid && ((await ports.media.find(uuid)) ?? (await ports.duplicates.resolve(uuid, ports.clock.now())));
  if (!found) throw notFound();
  requireAccess(token, found.item);
  return found;
}
