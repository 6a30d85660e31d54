import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { AttachmentRefusal } from './attachment.ts';
import type { Post, PostMetrics } from './post.ts';
import type { PostDetails } from './post-details.ts';

/** All of those given must hold. */
export interface PostFilter {
  readonly profileId?: Uuid;
  /** Published at or after; milliseconds since the epoch. */
  readonly from?: number;
  /** Published at or before. */
  readonly to?: number;
}

/** Why a post wasn't kept. */
export type PostConflict =
  | { readonly conflict: 'external_id_taken' }
  /** By index in `mediaIds`; every one that can't be attached (any more). */
  | { readonly conflict: 'media'; readonly refusals: ReadonlyMap<number, AttachmentRefusal> };

export type UpsertOutcome = 'created' | 'updated' | 'unchanged' | Extract<PostConflict, { conflict: 'media' }>;

/**
 * Posts of all workspaces. Their profile is one of the post's workspace: the caller has looked it up. Where it was removed
 * since then, a post is refused: `Refusal` `invalid` on `profile`.
 * Every change of a post changes what {@link BestTimesRepository} answers, in the same transaction.
 *
 * Media that a post uses stay: {@link MediaRepository.remove} refuses them.
 */
export interface PostRepository {
  /** Keeps a new post; answers why it didn't, and then nothing is kept. */
  insert(post: Post): Promise<PostConflict | null>;
  /**
   * Keeps posts in the given order, by profile and external id: one that is there is changed to what is said of it
   * (and keeps its id), one that isn't is made. A post that can't be kept leaves the others to be; of one named twice
   * the later word holds. One that says nothing new is `unchanged`, its `updatedAt` too. Attaching is checked for the
   * media that the post didn't use before. All that is kept is durable when this resolves, and nothing when it throws.
   *
   * @param posts at most 1,000
   * @returns an outcome for each, in order
   */
  upsert(posts: readonly PostDetails[], now: number): Promise<readonly UpsertOutcome[]>;
  /** null when there is none. */
  find(id: Uuid): Promise<Post | null>;
  /** The profile's post with that id of the network's; null when there is none. */
  findExternal(profileId: Uuid, externalId: string): Promise<Post | null>;
  /** Most recently published first, ties by id, the later id first. A slice past the end has no items. */
  list(workspaceId: Uuid, filter: PostFilter, slice: Slice): Promise<Rows<Post>>;
  /** Sets the metrics given and, unless they are what they were, `updatedAt`. null when there is no such post (any more). */
  updateMetrics(id: Uuid, metrics: Partial<PostMetrics>, now: number): Promise<Post | null>;
  /** Whether there was one: of two callers one hears true. */
  remove(id: Uuid): Promise<boolean>;
}
