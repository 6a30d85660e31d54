import {
  type AccessToken,
  type FieldErrors,
  hasAccessTo,
  parseUuid,
  Refusal,
  selectedInvalid,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';

interface NamedScope {
  readonly profile?: unknown;
  readonly workspace?: unknown;
}

/**
 * The workspace, and its one profile if that was named.
 *
 * @param named exactly one of the two
 * @throws Refusal `invalid` for an unknown or foreign id
 */
export async function findScope(
  ports: Pick<Ports, 'profiles' | 'workspaces'>,
  token: AccessToken,
  named: { readonly profile?: Uuid | undefined; readonly workspace?: Uuid | undefined },
): Promise<{ readonly workspace: Workspace; readonly profileId: Uuid | null }> {
  const found = named.profile ? await findProfile(ports, token, named.profile) : null;
  const workspaceId = found?.workspaceId ?? named.workspace;
  const workspace = workspaceId && hasAccessTo(token, workspaceId) ? await ports.workspaces.find(workspaceId) : null;
  if (!workspace) throw new Refusal({ code: 'invalid', errors: await scopeErrors(ports, token, named) });
  return { workspace, profileId: found?.id ?? null };
}

export async function scopeErrors(
  ports: Pick<Ports, 'profiles' | 'workspaces'>,
  token: AccessToken,
  named: NamedScope,
): Promise<FieldErrors> {
  const [profile, workspace] = [parseUuid(named.profile), parseUuid(named.workspace)];
  const isMissing = {
    profile: profile !== null && !(await findProfile(ports, token, profile)),
    workspace: workspace !== null && !(hasAccessTo(token, workspace) && (await ports.workspaces.find(workspace))),
  };
  return {
    ...(isMissing.profile && { profile: [selectedInvalid('profile')] }),
    ...(isMissing.workspace && { workspace: [selectedInvalid('workspace')] }),
  };
}

async function findProfile(ports: Pick<Ports, 'profiles'>, token: AccessToken, id: Uuid) {
  const profile = await ports.profiles.find(id);
  return profile && hasAccessTo(token, profile.workspaceId) ? profile : null;
}
