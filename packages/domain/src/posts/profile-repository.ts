import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';

/** An account on a social network. Its posts are compared with each other. */
export interface Profile {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly name: string;
  /** What the caller calls the network, such as `instagram`. */
  readonly network: string;
  /** Milliseconds since the epoch, UTC. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Code points, after trimming. */
export const MAX_PROFILE_NAME_LENGTH = 100;
export const MAX_NETWORK_LENGTH = 50;

/** Changes to a profile; absent fields stay. */
export type ProfileChange = Partial<Pick<Profile, 'name' | 'network'>>;

/** Profiles of all workspaces. */
export interface ProfileRepository {
  /** @param completion stored with it */
  insert(profile: Profile, completion?: RepeatCompletion): Promise<void>;
  /** null when there is none. */
  find(id: Uuid): Promise<Profile | null>;
  /** The existing profiles among the given ids, of any workspace. At most 1,000 at a time. */
  findMany(ids: readonly Uuid[]): Promise<readonly Profile[]>;
  /** Most recently updated first, ties by id, the later id first. A slice past the end has no items. */
  list(workspaceId: Uuid, slice: Slice): Promise<Rows<Profile>>;
  /** Applies the change and sets `updatedAt`. null when there is no such profile (any more). */
  update(id: Uuid, change: ProfileChange, now: number): Promise<Profile | null>;
  /** Removes a profile without posts. `in_use` while it has any; null when there is no such profile (any more). */
  remove(id: Uuid): Promise<'removed' | 'in_use' | null>;
}
