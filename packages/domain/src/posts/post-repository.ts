import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { AttachmentRefusal } from './attachment.ts';
import type { Post, PostMetrics } from './post.ts';
import type { PostDetails } from './post-details.ts';

/** All conditions hold. */
export interface PostFilter {
  readonly profileId?: Uuid;
  /** An item of another workspace is in no post. */
  readonly mediaId?: Uuid;
  /** Published at or after; milliseconds since the epoch. */
  readonly from?: number;
  /** Published at or before. */
  readonly to?: number;
}

export type PostConflict =
  | { readonly conflict: 'external_id_taken' }
  /** By index in `mediaIds`. */
  | { readonly conflict: 'media'; readonly refusals: ReadonlyMap<number, AttachmentRefusal> };

export interface PostPage extends Rows<Post> {
  /** Those whose text is cut off here; absent if there are none. */
  readonly cut?: readonly Uuid[];
}

export type UpsertOutcome = 'created' | 'updated' | 'unchanged' | Extract<PostConflict, { conflict: 'media' }>;

/**
 * Callers check that the profile belongs to the workspace; if it was removed since, `Refusal` `invalid` on `profile`.
 * Each change updates {@link BestTimesRepository} in its transaction. Media of a post can't be removed.
 */
export interface PostRepository {
  /** @param completion stored with it */
  insert(post: Post, completion?: RepeatCompletion): Promise<PostConflict | null>;
  /**
   * Inserts or updates by profile and external id; an existing post keeps its id, one that changes nothing its
   * `updatedAt`, and later details of a post win. A refused post doesn't affect the others. Only media new to the post
   * are checked. All or nothing is stored, durably.
   *
   * @param posts at most 1,000
   * @returns an outcome for each, in order
   */
  upsert(posts: readonly PostDetails[], now: number): Promise<readonly UpsertOutcome[]>;
  find(id: Uuid): Promise<Post | null>;
  findExternal(profileId: Uuid, externalId: string): Promise<Post | null>;
  /**
   * Most recently published first, ties by the later id. Past the end no items. Above `MAX_PAGE_TEXT_BYTES` the longest
   * texts aren't read completely.
   *
   * @throws Refusal `busy` if it takes long and too many wait; also once the signal is aborted
   */
  list(workspaceId: Uuid, filter: PostFilter, slice: Slice, signal?: AbortSignal): Promise<PostPage>;
  /** Sets `updatedAt` if any changed. null if there is no such post. */
  updateMetrics(id: Uuid, metrics: Partial<PostMetrics>, now: number): Promise<Post | null>;
  /** False if there is none: of concurrent callers one gets true. */
  remove(id: Uuid): Promise<boolean>;
}
