import { type AccessToken, type Post, parseUuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { requireAccess } from '../tokens/permissions.ts';

/** The post of a path. @throws Refusal `not_found` for a malformed, unknown or foreign id alike */
export async function findPost(ports: Pick<Ports, 'posts'>, token: AccessToken, id: string): Promise<Post> {
  const uuid = parseUuid(id);
  return requireAccess(token, uuid && (await ports.posts.find(uuid)));
}
