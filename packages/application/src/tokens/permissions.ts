import {
  type Access,
  type Entry,
  notFound,
  parseUuid,
  Refusal,
  type Scope,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/** The caller of an operation, and the scope that the operation needs; null if it needs none. */
export interface Caller extends Pick<Access, 'actor' | 'possible'> {
  readonly scope: Scope | null;
  entryOf(workspaceId: Uuid): Entry | null;
}

export const callerOf = ({ actor, possible, entryOf }: Access, scope: Scope | null): Caller => ({
  actor,
  possible,
  scope,
  entryOf: (workspaceId) => entryOf(workspaceId, scope),
});

/**
 * Refuses a caller that doesn't have the scope in any workspace. This can be checked before the workspace is known.
 *
 * @throws Refusal `missing_scope`
 */
export function requirePossible({ possible }: Pick<Access, 'possible'>, scope: Scope | null): void {
  if (scope !== null && !possible.includes(scope)) throw new Refusal({ code: 'missing_scope', scope });
}

/**
 * Returns what the caller may do in a workspace. This always includes the scope that the operation needs.
 *
 * @throws Refusal `not_found` if the caller can't enter the workspace, `missing_scope` if it lacks that scope there
 */
export function requireEntry(caller: Caller, workspaceId: Uuid): Entry {
  const entry = caller.entryOf(workspaceId);
  if (entry === null) throw notFound();
  if (caller.scope !== null) requireScope(entry, caller.scope);
  return entry;
}

/** @throws Refusal `missing_scope` */
function requireScope({ scopes }: Pick<Entry, 'scopes'>, scope: Scope): void {
  if (!scopes.includes(scope)) throw new Refusal({ code: 'missing_scope', scope });
}

/** Requires a further scope that the request needs. @throws Refusal as {@link requireEntry} */
export const requireAlso = (caller: Caller, workspaceId: Uuid, scope: Scope): void =>
  requireScope(requireEntry(caller, workspaceId), scope);

/**
 * Finds the workspace that a path names. The `not_found` error is the same whether the id is malformed or unknown, or
 * the caller can't enter the workspace (docs/api.md, "Errors").
 *
 * @throws Refusal `not_found`, `missing_scope`
 */
export async function requireWorkspace(
  ports: Pick<Ports, 'workspaces'>,
  caller: Caller,
  id: string,
): Promise<Workspace> {
  const uuid = parseUuid(id);
  if (!uuid) throw notFound();
  requireEntry(caller, uuid);
  const workspace = await ports.workspaces.find(uuid);
  if (!workspace) throw notFound();
  return workspace;
}

/**
 * Requires access to a resource's workspace.
 *
 * @throws Refusal `not_found` unless the caller can enter it, `missing_scope`
 */
export function requireAccess<T extends { readonly workspaceId: Workspace['id'] }>(
  caller: Caller,
  resource: T | null,
): T {
  if (!resource) throw notFound();
  requireEntry(caller, resource.workspaceId);
  return resource;
}
