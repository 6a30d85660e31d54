import { type AccessToken, type Folder, parseUuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { requireAccess } from '../tokens/permissions.ts';

/** The folder of a path. @throws Refusal `not_found` for a malformed, unknown or foreign id alike */
export async function findFolder(ports: Pick<Ports, 'folders'>, token: AccessToken, id: string): Promise<Folder> {
  const uuid = parseUuid(id);
  return requireAccess(token, uuid && (await ports.folders.find(uuid)));
}
