import type { IdempotencyCompletion } from '../idempotency/idempotency-repository.ts';
import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { ExpectedVersions } from '../versions/version.ts';
import type { MediaDetails } from './details.ts';
import type { FocalPoint } from './focus.ts';
import type { ActiveMedia, MediaItem, MediaStatus, MediaWithCover } from './item.ts';
import type { MediaKind } from './types.ts';

/** Absent fields stay unchanged. */
export interface MediaChange {
  readonly name?: string;
  readonly label?: string | null;
  /** null moves the item to the root of the library. */
  readonly folderId?: Uuid | null;
  readonly altText?: string | null;
  readonly focus?: FocalPoint | null;
  readonly tags?: readonly string[];
  readonly addedTags?: readonly string[];
  /** Compared by `tagKey`. */
  readonly removedTags?: readonly string[];
  /**
   * Replaces the video's cover and records the deletion of the old one. Also removes the job for a cover that is still
   * to be made.
   */
  readonly cover?: ActiveMedia;
}

export interface UpdatedMedia extends MediaWithCover {
  /**
   * The cover that was replaced, which no longer has a row; absent if there was none. Its deletion is recorded as of the
   * item's `updatedAt`.
   */
  readonly replacedCover?: ActiveMedia;
}

/** Items must meet all conditions. */
export interface MediaFilter {
  /** null for the root. */
  readonly folderId?: Uuid | null;
  readonly status?: MediaStatus;
  /** Items of unknown type have neither kind. */
  readonly kind?: MediaKind;
  /** Words, each of which must occur in the name, the label, a tag or the alt text; case is ignored. */
  readonly search?: string;
  readonly from?: number;
  readonly to?: number;
  /** Tags that the item must have; case is ignored. */
  readonly tags?: readonly string[];
  /** Lower-case hex. */
  readonly sha256?: string;
}

/** Items that compare equal are ordered by id in the same direction. */
export interface MediaSort {
  /** `name` orders equal names by label; `size` puts items without a size first. */
  readonly by: 'updated_at' | 'created_at' | 'name' | 'size';
  readonly descending: boolean;
}

export const DEFAULT_MEDIA_SORT: MediaSort = { by: 'updated_at', descending: true };

export interface MediaQuery extends MediaFilter {
  readonly sort?: MediaSort;
}

/** A page of the items that haven't been inspected, including covers. */
export interface UninspectedPage {
  readonly ids: readonly Uuid[];
  readonly next: Uuid | null;
}

export interface InspectedFile {
  readonly details: MediaDetails;
  /** null if it can't be computed. */
  readonly sha256: string | null;
}

/** Covers can be found by id but are never listed. */
export interface MediaRepository {
  /**
   * Inserts all items or none. A cover may be inserted together with its video.
   *
   * @param coversDue videos whose covers are made later
   * @returns `folder_missing`, and inserts nothing, if a folder doesn't belong to the workspace
   */
  insert(
    items: readonly MediaItem[],
    coversDue?: readonly Uuid[],
    completion?: IdempotencyCompletion,
  ): Promise<'kept' | 'folder_missing'>;
  find(id: Uuid): Promise<MediaWithCover | null>;
  /** Finds an item, even in the trash. */
  findStored(id: Uuid): Promise<MediaItem | null>;
  /** Lists items; `total` counts all that match. @throws Refusal `busy`; also a Refusal once the signal is aborted */
  list(workspaceId: Uuid, query: MediaQuery, slice: Slice, signal?: AbortSignal): Promise<Rows<MediaWithCover>>;
  /**
   * Lists the tags of the workspace's items in the order of `tagKey`, without duplicates, up to `MAX_LISTED_TAGS`.
   *
   * @throws Refusal as {@link list}
   */
  listTags(workspaceId: Uuid, slice: Slice, signal?: AbortSignal): Promise<Rows<string>>;
  /** Returns tags as they were given; items without tags are missing. At most 100 ids. */
  tagsOf(ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, readonly string[]>>;
  /**
   * Returns how many posts use each item; items without posts are missing. At most 100 ids.
   *
   * @throws Refusal as {@link list}
   */
  postsOf(workspaceId: Uuid, ids: readonly Uuid[], signal?: AbortSignal): Promise<ReadonlyMap<Uuid, number>>;
  /**
   * Updates an item. Returns `folder_missing` if the folder doesn't belong to the workspace, or `too_many_tags` if the
   * item would have more than `MAX_TAGS`; in both cases, nothing is changed.
   *
   * @throws Refusal `changed`
   */
  update(
    id: Uuid,
    change: MediaChange,
    now: number,
    expected?: ExpectedVersions,
  ): Promise<UpdatedMedia | 'folder_missing' | 'too_many_tags' | null>;
  /**
   * Ends the job of a video's cover and stores the cover (null if there won't be one) in one transaction. Returns
   * false, and stores nothing, if the owner doesn't hold the job.
   */
  finishCover(id: Uuid, owner: string, cover: ActiveMedia | null): Promise<boolean>;
  /**
   * Deletes an item with its cover. Returns the full names of the objects that no longer have a row; only one of
   * several concurrent callers gets them. If a post uses the item, keeps it and returns `in_use`.
   *
   * @param recordedAt the time of the recorded deletions; undefined to record none
   * @throws Refusal `changed`
   */
  delete(id: Uuid, recordedAt?: number, expected?: ExpectedVersions): Promise<readonly string[] | 'in_use' | null>;
  /** Lists all items whose objects are needed, in the order of their ids, including covers and items in the trash. */
  listActive(after: Uuid | null, limit: number): Promise<readonly ActiveMedia[]>;
  /**
   * Lists active items whose details or hash aren't known, in the order of their ids. Items whose hash can't be
   * computed are skipped. A page may be short although more pages follow.
   */
  listUninspected(after: Uuid | null, limit: number): Promise<UninspectedPage>;
  /**
   * Stores those properties of the file that the item lacks. {@link listUninspected} then skips the item; if the hash
   * is null, only until the next {@link update}.
   */
  storeInspected(id: Uuid, file: InspectedFile): Promise<boolean>;
  /**
   * Returns those names that belong to a recorded deletion, to an item in the trash, or to an item that isn't `failed`.
   * Takes at most 1,000 names.
   */
  existingFullNames(fullNames: readonly string[]): Promise<ReadonlySet<string>>;
}
