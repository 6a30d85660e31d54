import {
  type ExpectedVersions,
  FIRST_VERSION,
  invalid,
  MAX_NETWORK_LENGTH,
  MAX_PROFILE_NAME_LENGTH,
  type Profile,
  type ProfileChange,
  parseUuid,
  readName,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import type { Completing } from '../idempotency/answer-once.ts';
import type { Ports } from '../ports.ts';
import { type Caller, requireAccess } from '../tokens/permissions.ts';

/** Creates a profile. @throws Refusal `invalid` on `name` or `network` */
export async function createProfile(
  ports: Pick<Ports, 'profiles' | 'ids' | 'clock'>,
  workspace: Workspace,
  details: Required<ProfileChange>,
  complete?: Completing<Profile>,
): Promise<Profile> {
  const now = ports.clock.now();
  const { name, network } = { ...details, ...checkProfile(details) };
  const profile = {
    id: ports.ids.next(),
    workspaceId: workspace.id,
    name,
    network,
    version: FIRST_VERSION,
    createdAt: now,
    updatedAt: now,
  };
  await ports.profiles.insert(profile, complete?.(profile));
  return profile;
}

/** Normalises the fields of a profile. @throws Refusal `invalid` on `name` or `network` */
const checkProfile = ({ name, network }: ProfileChange): ProfileChange => ({
  ...(name !== undefined && { name: check('name', name, MAX_PROFILE_NAME_LENGTH) }),
  ...(network !== undefined && { network: check('network', network, MAX_NETWORK_LENGTH) }),
});

function check(field: string, text: string, max: number): string {
  const read = readName(text, max);
  if ('problem' in read) throw invalid(field, `The ${field} field ${read.problem}`);
  return read.name;
}

/**
 * Changes a profile's name or network. Its posts stay.
 *
 * @returns null if the profile doesn't exist
 * @throws Refusal `changed`; `invalid` on `name` or `network`
 */
export const updateProfile = (
  ports: Pick<Ports, 'profiles' | 'clock'>,
  id: Uuid,
  change: ProfileChange,
  expected?: ExpectedVersions,
): Promise<Profile | null> => ports.profiles.update(id, checkProfile(change), ports.clock.now(), expected);

/**
 * Finds the profile that a path names.
 *
 * @throws Refusal `not_found` if the id is malformed or unknown, or the caller can't enter the profile's workspace
 */
export async function findProfile(ports: Pick<Ports, 'profiles'>, caller: Caller, id: string): Promise<Profile> {
  const uuid = parseUuid(id);
  return requireAccess(caller, uuid && (await ports.profiles.find(uuid)));
}

/**
 * Deletes a profile. With `withPosts`, hides the profile and its posts immediately, and {@link finishProfileRemovals}
 * removes them. Without it, the deletion is refused while the profile has posts, because losing them would change the
 * best times.
 *
 * @returns false if the profile doesn't exist
 * @throws Refusal `changed`; `invalid` on `profile` while it has posts
 */
export async function deleteProfile(
  ports: Pick<Ports, 'profiles' | 'clock'>,
  id: Uuid,
  withPosts = false,
  expected?: ExpectedVersions,
): Promise<boolean> {
  if (withPosts) return ports.profiles.beginRemoval(id, ports.clock.now(), expected);
  const outcome = await ports.profiles.delete(id, expected);
  if (outcome === 'in_use') throw invalid('profile', 'The profile has posts.');
  return outcome !== null;
}

/** Number of posts per transaction. It is small, so that other requests wait for a few milliseconds at most. */
const BATCH = 200;

/** Maximum number of batches per call, so that other removals get their turn. */
const MAX_BATCHES = 50;

/** Removes some posts of profiles that were deleted with their posts. */
export async function finishProfileRemovals({ profiles }: Pick<Ports, 'profiles'>, signal: AbortSignal): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
    if (!(await profiles.removeBatch(BATCH))) return;
  }
}
