import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { MediaDetails } from './details.ts';
import type { ActiveMedia, MediaItem, MediaStatus, MediaWithCover } from './item.ts';
import type { MediaKind } from './types.ts';

/** Changes that a client makes to an item; absent fields stay. */
export interface MediaChange {
  readonly name?: string;
  readonly label?: string | null;
  /** null moves it to the root of the library. */
  readonly folderId?: Uuid | null;
  readonly altText?: string | null;
  /** Replaces all tags, in this order; they differ in their `tagKey`. */
  readonly tags?: readonly string[];
  /** Added after the item's tags; those that exist already stay as they are. */
  readonly addedTags?: readonly string[];
  /** Identified by their `tagKey`. */
  readonly removedTags?: readonly string[];
}

/** All given conditions must hold. */
export interface MediaFilter {
  /** In one folder, or at the root (null). */
  readonly folderId?: Uuid | null;
  readonly status?: MediaStatus;
  /** Items whose type is not known yet are of neither kind. */
  readonly kind?: MediaKind;
  /** Part of the name or the label, case ignored; `%` and `_` have no special meaning. */
  readonly search?: string;
  /** Created at or after; milliseconds since the epoch. */
  readonly from?: number;
  /** Created at or before. */
  readonly to?: number;
  /** Has this tag, ignoring case. */
  readonly tag?: string;
  /** Has bytes with this SHA-256, lower-case hex. */
  readonly sha256?: string;
}

/** What a list is sorted by; ties by id, in the same direction. */
export interface MediaSort {
  /** `name` ignores case and sorts items of the same name by label; `size` sorts items without one first. */
  readonly by: 'updated_at' | 'created_at' | 'name' | 'size';
  readonly descending: boolean;
}

export const DEFAULT_MEDIA_SORT: MediaSort = { by: 'updated_at', descending: true };

/** The filter and order of a list. */
export interface MediaQuery extends MediaFilter {
  readonly sort?: MediaSort;
}

/** Items whose files are still to be inspected, covers included. */
export interface UninspectedPage {
  readonly ids: readonly Uuid[];
  /** The cursor of the next page; null if this is the last. */
  readonly next: Uuid | null;
}

/** What a later inspection found in a file that was stored without one. */
export interface InspectedFile {
  readonly details: MediaDetails;
  /** Lower-case hex; null if it can't be computed. */
  readonly sha256: string | null;
}

/** Media items of all workspaces, covers included; a cover is found by its id but never listed. */
export interface MediaRepository {
  /**
   * Inserts new items, all or none; a cover may be inserted with its video in one call.
   *
   * @param coversDue ids of those whose covers are to be made later (`CoverQueue`)
   * @param completion stored with them
   * @returns `folder_missing`, and nothing is inserted, if a folder of theirs isn't (any more) one of the item's
   *   workspace
   */
  insert(
    items: readonly MediaItem[],
    coversDue?: readonly Uuid[],
    completion?: RepeatCompletion,
  ): Promise<'kept' | 'folder_missing'>;
  /** The item with its cover; null if there is none. */
  find(id: Uuid): Promise<MediaWithCover | null>;
  /**
   * Lists items in the requested order ({@link DEFAULT_MEDIA_SORT} by default). A slice past the end has no items;
   * `total` counts all that pass the filter.
   *
   * @param signal ends it where it takes long
   * @throws Refusal `busy` where it takes long and too many wait; also once the signal is aborted
   */
  list(workspaceId: Uuid, query: MediaQuery, slice: Slice, signal?: AbortSignal): Promise<Rows<MediaWithCover>>;
  /**
   * The tags of the items, in the order in which they were given; items without any are left out. At most 100 ids at a
   * time.
   */
  tagsOf(ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, readonly string[]>>;
  /**
   * The number of posts that each of the workspace's items is attached to; items without any are left out. At most 100
   * ids at a time.
   *
   * @param signal ends it where it takes long
   * @throws Refusal `busy` where it takes long and too many wait; also once the signal is aborted
   */
  postsOf(workspaceId: Uuid, ids: readonly Uuid[], signal?: AbortSignal): Promise<ReadonlyMap<Uuid, number>>;
  /**
   * Applies the change and sets `updatedAt`. null if there is no such item (any more). Changes nothing with
   * `folder_missing` as for {@link insert}, or with `too_many_tags` if the item would have more than `MAX_TAGS`.
   */
  update(
    id: Uuid,
    change: MediaChange,
    now: number,
  ): Promise<MediaWithCover | 'folder_missing' | 'too_many_tags' | null>;
  /**
   * Removes the item and its cover, and returns the full names of objects that have no row any more; null if there is
   * no such item (any more), so only one of two callers gets them. `in_use`, and it stays, if a post uses it.
   *
   * @param recordedAt the time under which the objects, and the upload that the item waits for, are recorded as
   *   deletions; undefined: they aren't
   */
  remove(id: Uuid, recordedAt?: number): Promise<readonly string[] | 'in_use' | null>;
  /**
   * The first `limit` active items, of all workspaces and covers included, whose id is greater than the given one,
   * ordered by id; null starts with the first. Fewer than `limit` items mean that no more follow.
   */
  listActive(after: Uuid | null, limit: number): Promise<readonly ActiveMedia[]>;
  /**
   * Active items without details or hash, ordered by id, except those whose hash can't be computed ({@link
   * storeInspected}). Reads at most `limit` rows, so a page may have fewer items or none although others follow.
   *
   * @param after {@link UninspectedPage.next} of the previous page; null starts with the first
   */
  listUninspected(after: Uuid | null, limit: number): Promise<UninspectedPage>;
  /**
   * Stores details and hash if they aren't known yet; nothing else of the item changes, not even `updatedAt`. Whatever
   * was found, {@link listUninspected} leaves the item out afterwards; an item without a hash is listed again after an
   * {@link update}.
   *
   * @returns false if there is no such active item (any more)
   */
  storeInspected(id: Uuid, file: InspectedFile): Promise<boolean>;
  /** Those of the given full names that belong to a row, or to a recorded deletion. At most 1,000 at a time. */
  existingFullNames(fullNames: readonly string[]): Promise<ReadonlySet<string>>;
}
