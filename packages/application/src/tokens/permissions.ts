import {
  type AccessToken,
  hasAccessTo,
  notFound,
  parseUuid,
  Refusal,
  type Scope,
  type Workspace,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/** @throws Refusal `missing_scope` */
export function requireScope(token: AccessToken, scope: Scope): void {
  if (!token.scopes.includes(scope)) throw new Refusal({ code: 'missing_scope', scope });
}

/**
 * The workspace of a path. A malformed, unknown or foreign one is the same `not_found` (docs/api.md, "Errors").
 *
 * @throws Refusal `not_found`
 */
export async function requireWorkspace(
  ports: Pick<Ports, 'workspaces'>,
  token: AccessToken,
  id: string,
): Promise<Workspace> {
  const uuid = parseUuid(id);
  if (!uuid || !hasAccessTo(token, uuid)) throw notFound();
  const workspace = await ports.workspaces.find(uuid);
  if (!workspace) throw notFound();
  return workspace;
}

/** `not_found` unless the token has access to its workspace. */
export function requireAccess<T extends { readonly workspaceId: Workspace['id'] }>(
  token: AccessToken,
  resource: T | null,
): T {
  if (!resource || !hasAccessTo(token, resource.workspaceId)) throw notFound();
  return resource;
}
