import { type AccessToken, type MediaWithCover, notFound, parseUuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { requireAccess } from '../tokens/permissions.ts';

/** The media item of a path. @throws Refusal `not_found` for a malformed, unknown or foreign id alike */
export async function findMedia(ports: Pick<Ports, 'media'>, token: AccessToken, id: string): Promise<MediaWithCover> {
  const uuid = parseUuid(id);
  const found = uuid && (await ports.media.find(uuid));
  if (!found) throw notFound();
  requireAccess(token, found.item);
  return found;
}
