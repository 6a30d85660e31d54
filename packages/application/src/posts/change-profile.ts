import { type Profile, type ProfileChange, Refusal, type Uuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { checkProfile } from './create-profile.ts';

/**
 * Changes what people call a profile, or its network. Its posts stay.
 *
 * @returns null when there is none
 * @throws Refusal `invalid` on `name` or `network`
 */
export const updateProfile = (
  ports: Pick<Ports, 'profiles' | 'clock'>,
  id: Uuid,
  change: ProfileChange,
): Promise<Profile | null> => ports.profiles.update(id, checkProfile(change), ports.clock.now());

/**
 * Deletes a profile that has no posts: with them best times would change, and nobody asked for that.
 *
 * @returns false when there is none
 * @throws Refusal `forbidden` while it has posts
 */
export async function deleteProfile(ports: Pick<Ports, 'profiles'>, id: Uuid): Promise<boolean> {
  const outcome = await ports.profiles.remove(id);
  if (outcome === 'in_use') throw new Refusal({ code: 'forbidden', message: 'The profile has posts.' });
  return outcome !== null;
}
