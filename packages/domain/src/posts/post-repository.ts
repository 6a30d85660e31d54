import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { AttachmentRefusal } from './attachment.ts';
import type { Post, PostMetrics } from './post.ts';
import type { PostDetails } from './post-details.ts';

/** All given conditions must hold. */
export interface PostFilter {
  readonly profileId?: Uuid;
  /** Has this media item attached. No post matches an item of another workspace. */
  readonly mediaId?: Uuid;
  /** Published at or after; milliseconds since the epoch. */
  readonly from?: number;
  /** Published at or before. */
  readonly to?: number;
}

/** Why a post wasn't stored. */
export type PostConflict =
  | { readonly conflict: 'external_id_taken' }
  /** All items that can't be attached (any more), by index in `mediaIds`. */
  | { readonly conflict: 'media'; readonly refusals: ReadonlyMap<number, AttachmentRefusal> };

/** Some posts of a list. */
export interface PostPage extends Rows<Post> {
  /** Ids of posts whose text is cut off here; absent if there are none. */
  readonly cut?: readonly Uuid[];
}

export type UpsertOutcome = 'created' | 'updated' | 'unchanged' | Extract<PostConflict, { conflict: 'media' }>;

/**
 * Posts of all workspaces. Callers have to check that the profile belongs to the post's workspace. If it was removed
 * since, the post is refused: `Refusal` `invalid` on `profile`. Every change of a post updates {@link
 * BestTimesRepository} in the same transaction.
 *
 * Media that a post uses can't be removed: {@link MediaRepository.remove} refuses to.
 */
export interface PostRepository {
  /** Inserts a new post, or returns why not. @param completion stored with it */
  insert(post: Post, completion?: RepeatCompletion): Promise<PostConflict | null>;
  /**
   * Inserts or updates posts in the given order, by profile and external id; an existing post keeps its id. A refused
   * post doesn't affect the others; if one is given twice, the later details win. One that changes nothing is
   * `unchanged`, and keeps its `updatedAt`. Only media that the post didn't use before are checked. Everything stored
   * is durable when this resolves; when it throws, nothing is stored.
   *
   * @param posts at most 1,000
   * @returns an outcome for each, in order
   */
  upsert(posts: readonly PostDetails[], now: number): Promise<readonly UpsertOutcome[]>;
  /** null when there is none. */
  find(id: Uuid): Promise<Post | null>;
  /** The profile's post with this external id; null when there is none. */
  findExternal(profileId: Uuid, externalId: string): Promise<Post | null>;
  /**
   * Most recently published first, ties by id, the later id first. A slice past the end has no items. If the texts of
   * the slice have more than `MAX_PAGE_TEXT_BYTES` in UTF-8, the longest aren't read completely.
   *
   * @param signal cancels it if it takes long
   * @throws Refusal `busy` if it takes long and too many callers wait; also once the signal is aborted
   */
  list(workspaceId: Uuid, filter: PostFilter, slice: Slice, signal?: AbortSignal): Promise<PostPage>;
  /** Sets the given metrics and, if any of them changed, `updatedAt`. null if there is no such post (any more). */
  updateMetrics(id: Uuid, metrics: Partial<PostMetrics>, now: number): Promise<Post | null>;
  /** Removes a post. False if there is none: of concurrent callers one gets true. */
  remove(id: Uuid): Promise<boolean>;
}
