import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { ExpectedVersions } from '../versions/version.ts';

/** Its posts are compared with each other. */
export interface Profile {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly name: string;
  /** What the caller calls it, such as `instagram`. */
  readonly network: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const MAX_PROFILE_NAME_LENGTH = 100;
export const MAX_NETWORK_LENGTH = 50;

/** Absent fields stay. */
export type ProfileChange = Partial<Pick<Profile, 'name' | 'network'>>;

export interface ProfileRepository {
  insert(profile: Profile, completion?: RepeatCompletion): Promise<void>;
  find(id: Uuid): Promise<Profile | null>;
  /** At most 1,000 at a time. */
  findMany(ids: readonly Uuid[]): Promise<readonly Profile[]>;
  /** Most recently updated first, ties by the later id. */
  list(workspaceId: Uuid, slice: Slice, signal?: AbortSignal): Promise<Rows<Profile>>;
  /** @throws Refusal `changed`, as the next two */
  update(id: Uuid, change: ProfileChange, now: number, expected?: ExpectedVersions): Promise<Profile | null>;
  remove(id: Uuid, expected?: ExpectedVersions): Promise<'removed' | 'in_use' | null>;
  /** Hides it from all but {@link removeBatch}; its posts are there until that removes them. False if there is none. */
  beginRemoval(id: Uuid, now: number, expected?: ExpectedVersions): Promise<boolean>;
  /** Removes some posts of a hidden profile, or one that has none left. @returns whether there was any */
  removeBatch(limit: number): Promise<boolean>;
}
