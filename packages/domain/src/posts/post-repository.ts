import type { IdempotencyCompletion } from '../idempotency/idempotency-repository.ts';
import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { ExpectedVersions } from '../versions/version.ts';
import type { AttachmentRefusal } from './attachment.ts';
import type { Post } from './post.ts';
import type { PostDetails, PostEdit } from './post-details.ts';

/** Posts must meet all conditions. */
export interface PostFilter {
  readonly profileId?: Uuid;
  readonly mediaId?: Uuid;
  readonly from?: number;
  readonly to?: number;
}

export type PostConflict =
  | { readonly conflict: 'external_id_taken' }
  /** Refusals by index in `mediaIds`. */
  | { readonly conflict: 'media'; readonly refusals: ReadonlyMap<number, AttachmentRefusal> };

export interface PostPage extends Rows<Post> {
  /** The ids of the posts whose text is truncated in this page. */
  readonly cut?: readonly Uuid[];
}

export type UpsertOutcome = 'created' | 'updated' | 'unchanged' | Extract<PostConflict, { conflict: 'media' }>;

/**
 * Callers check that the profile belongs to the workspace; if the profile has been deleted meanwhile, methods throw
 * `Refusal` `invalid` on `profile`. {@link BestTimesRepository} sees each change as soon as it is committed.
 */
export interface PostRepository {
  insert(post: Post, completion?: IdempotencyCompletion): Promise<PostConflict | null>;
  /**
   * Inserts or updates posts by profile and external id; an existing post keeps its id. If several details are for the
   * same post, the later ones take precedence. Only media that are new to a post are checked. A refused post doesn't
   * affect the others: all of these are stored durably in one transaction.
   *
   * @param posts at most 1,000
   * @returns an outcome for each
   */
  upsert(posts: readonly PostDetails[], now: number): Promise<readonly UpsertOutcome[]>;
  find(id: Uuid): Promise<Post | null>;
  findExternal(profileId: Uuid, externalId: string): Promise<Post | null>;
  /**
   * Lists the most recently published posts first; if the times are equal, the later id comes first. Only the
   * beginnings of long texts are read (`MAX_LISTED_TEXT`).
   *
   * @throws Refusal `busy`; also a Refusal once the signal is aborted
   */
  list(workspaceId: Uuid, filter: PostFilter, slice: Slice, signal?: AbortSignal): Promise<PostPage>;
  /**
   * Returns the publication times of a profile's latest posts in a window, both ends included, in milliseconds since
   * 1970. Planned posts count as well.
   *
   * @param limit the maximum number of times
   */
  publishedWithin(profileId: Uuid, from: number, to: number, limit: number): Promise<readonly number[]>;
  /** Updates a post. Only media that are new to the post are checked. @throws Refusal `changed` */
  update(id: Uuid, edit: PostEdit, now: number, expected?: ExpectedVersions): Promise<Post | PostConflict | null>;
  /** Deletes a post. Only one of several concurrent callers gets true. @throws Refusal `changed` */
  delete(id: Uuid, expected?: ExpectedVersions): Promise<boolean>;
}
