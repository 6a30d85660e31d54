import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { AttachmentRefusal } from './attachment.ts';
import type { Post, PostMetrics } from './post.ts';
import type { PostDetails } from './post-details.ts';

/** All given conditions must hold. */
export interface PostFilter {
  readonly profileId?: Uuid;
  /** Holding this item of the workspace; of another's item there are none. */
  readonly mediaId?: Uuid;
  /** Published at or after; milliseconds since the epoch. */
  readonly from?: number;
  /** Published at or before. */
  readonly to?: number;
}

/** Why a post wasn't stored. */
export type PostConflict =
  | { readonly conflict: 'external_id_taken' }
  /** By index in `mediaIds`; every one that can't be attached (any more). */
  | { readonly conflict: 'media'; readonly refusals: ReadonlyMap<number, AttachmentRefusal> };

/** Some posts of a list. */
export interface PostPage extends Rows<Post> {
  /** Those whose text isn't whole here; absent where all are. */
  readonly cut?: readonly Uuid[];
}

export type UpsertOutcome = 'created' | 'updated' | 'unchanged' | Extract<PostConflict, { conflict: 'media' }>;

/**
 * Posts of all workspaces. The caller has checked that the profile is one of the post's workspace. If it was removed
 * since, the post is refused: `Refusal` `invalid` on `profile`.
 * Every change of a post changes what {@link BestTimesRepository} answers, in the same transaction.
 *
 * Media that a post uses stay: {@link MediaRepository.remove} refuses them.
 */
export interface PostRepository {
  /** Inserts a new post, or answers why it didn't. @param completion kept with it */
  insert(post: Post, completion?: RepeatCompletion): Promise<PostConflict | null>;
  /**
   * Inserts or updates posts in the given order, by profile and external id; an existing post keeps its id. A refused post
   * doesn't affect the others; of one given twice the later details win. One that changes nothing is `unchanged`, and
   * keeps its `updatedAt`. Attachments are checked for media that the post didn't use before. Everything stored is
   * durable when this resolves; when it throws, nothing is stored.
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
   * Most recently published first, ties by id, the later id first. A slice past the end has no items. Where the texts of
   * the slice are larger than `MAX_PAGE_TEXT_BYTES` in UTF-8, the longest aren't read to their end.
   *
   * @param signal ends it where it takes long
   * @throws Refusal `busy` where it takes long and too many wait; also once the signal is aborted
   */
  list(workspaceId: Uuid, filter: PostFilter, slice: Slice, signal?: AbortSignal): Promise<PostPage>;
  /** Sets the metrics given and, unless they are what they were, `updatedAt`. null when there is no such post (any more). */
  updateMetrics(id: Uuid, metrics: Partial<PostMetrics>, now: number): Promise<Post | null>;
  /** Whether there was one: of two concurrent callers one gets true. */
  remove(id: Uuid): Promise<boolean>;
}
