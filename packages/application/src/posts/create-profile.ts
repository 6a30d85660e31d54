import type { Profile, Workspace } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

export async function createProfile(
  ports: Pick<Ports, 'profiles' | 'ids' | 'clock'>,
  workspace: Workspace,
  details: Pick<Profile, 'name' | 'network'>,
): Promise<Profile> {
  const now = ports.clock.now();
  const profile = { id: ports.ids.next(), workspaceId: workspace.id, ...details, createdAt: now, updatedAt: now };
  await ports.profiles.insert(profile);
  return profile;
}
