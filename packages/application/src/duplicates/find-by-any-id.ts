import { type MediaWithCover, notFound, parseUuid, type Uuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { type Caller, requireAccess } from '../tokens/permissions.ts';

type FindPorts = Pick<Ports, 'media' | 'duplicates' | 'clock'>;

/** Returns the item with this id or with this alias; null if there is no such item. */
export async function findByAnyId({ media, duplicates, clock }: FindPorts, id: Uuid): Promise<MediaWithCover | null> {
  return (await media.find(id)) ?? duplicates.resolve(id, clock.now());
}

/**
 * Finds the item that a path names by its id or an alias, for reading and confirming. Changes require the item's own id
 * (`findMedia`).
 *
 * @throws Refusal `not_found` if the id is malformed, unknown or inaccessible
 */
export async function findPromised(ports: FindPorts, caller: Caller, id: string): Promise<MediaWithCover> {
  const uuid = parseUuid(id);
  // This code inlines {@link findByAnyId}, because the function runs often, and inlining saves a promise.
  const found = uuid && ((await ports.media.find(uuid)) ?? (await ports.duplicates.resolve(uuid, ports.clock.now())));
  if (!found) throw notFound();
  requireAccess(caller, found.item);
  return found;
}
