import type { IdempotencyCompletion } from '../idempotency/idempotency-repository.ts';
import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { ExpectedVersions } from '../versions/version.ts';

/** A profile on a social network. The engagement of a post is compared with that of other posts of the same profile. */
export interface Profile {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly name: string;
  /** The network as the caller names it, such as `instagram`. */
  readonly network: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Absent fields stay unchanged. */
export type ProfileChange = Partial<Pick<Profile, 'name' | 'network'>>;

export interface ProfileRepository {
  insert(profile: Profile, completion?: IdempotencyCompletion): Promise<void>;
  find(id: Uuid): Promise<Profile | null>;
  /** Finds profiles by id, at most 1,000 per call. */
  findMany(ids: readonly Uuid[]): Promise<readonly Profile[]>;
  /** Lists the most recently updated profiles first; if the times are equal, the later id comes first. */
  list(workspaceId: Uuid, slice: Slice, signal?: AbortSignal): Promise<Rows<Profile>>;
  /** @throws Refusal `changed`, as {@link delete} and {@link beginRemoval} do */
  update(id: Uuid, change: ProfileChange, now: number, expected?: ExpectedVersions): Promise<Profile | null>;
  delete(id: Uuid, expected?: ExpectedVersions): Promise<'deleted' | 'in_use' | null>;
  /**
   * Hides a profile from everything except {@link removeBatch}, which removes its posts. Returns false if it doesn't
   * exist.
   */
  beginRemoval(id: Uuid, now: number, expected?: ExpectedVersions): Promise<boolean>;
  /**
   * Removes some posts of a hidden profile, or the profile itself once it has no posts.
   *
   * @returns whether there was anything to remove
   */
  removeBatch(limit: number): Promise<boolean>;
}
