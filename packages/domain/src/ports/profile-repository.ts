import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { Profile } from '../posts/profile.ts';

/** Profiles of all workspaces. A profile stays: nothing removes one. */
export interface ProfileRepository {
  insert(profile: Profile): Promise<void>;
  /** null when there is none. */
  find(id: Uuid): Promise<Profile | null>;
  /** Those of the given ids that there are, of any workspace. At most 1,000 at a time. */
  findMany(ids: readonly Uuid[]): Promise<readonly Profile[]>;
  /** Most recently updated first, ties by id, the later id first. A slice past the end has no items. */
  list(workspaceId: Uuid, slice: Slice): Promise<Rows<Profile>>;
}
