import { type FieldErrors, parseUuid, Refusal, selectedInvalid, type Uuid, type Workspace } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { type Caller, requireEntry } from '../tokens/permissions.ts';

interface NamedScope {
  readonly profile?: unknown;
  readonly workspace?: unknown;
}

/**
 * Finds the workspace, and the profile if one was named.
 *
 * @param named exactly one of a workspace and a profile
 * @throws Refusal `invalid` if an id is unknown or inaccessible, `missing_scope`
 */
export async function findScope(
  ports: Pick<Ports, 'profiles' | 'workspaces'>,
  caller: Caller,
  named: { readonly profile?: Uuid | undefined; readonly workspace?: Uuid | undefined },
): Promise<{ readonly workspace: Workspace; readonly profileId: Uuid | null }> {
  const found = named.profile ? await findProfile(ports, caller, named.profile) : null;
  const workspaceId = found?.workspaceId ?? named.workspace;
  const workspace = workspaceId && caller.entryOf(workspaceId) ? await ports.workspaces.find(workspaceId) : null;
  if (!workspace) throw new Refusal({ code: 'invalid', errors: await scopeErrors(ports, caller, named) });
  requireEntry(caller, workspace.id);
  return { workspace, profileId: found?.id ?? null };
}

export async function scopeErrors(
  ports: Pick<Ports, 'profiles' | 'workspaces'>,
  caller: Caller,
  named: NamedScope,
): Promise<FieldErrors> {
  const [profile, workspace] = [parseUuid(named.profile), parseUuid(named.workspace)];
  const isMissing = {
    profile: profile !== null && !(await findProfile(ports, caller, profile)),
    workspace: workspace !== null && !(caller.entryOf(workspace) && (await ports.workspaces.find(workspace))),
  };
  return {
    ...(isMissing.profile && { profile: [selectedInvalid('profile')] }),
    ...(isMissing.workspace && { workspace: [selectedInvalid('workspace')] }),
  };
}

async function findProfile(ports: Pick<Ports, 'profiles'>, caller: Caller, id: Uuid) {
  const profile = await ports.profiles.find(id);
  return profile && caller.entryOf(profile.workspaceId) ? profile : null;
}
