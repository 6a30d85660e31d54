import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { MediaDetails } from './details.ts';
import type { ActiveMedia, MediaItem, MediaStatus, MediaWithCover } from './item.ts';
import type { MediaKind } from './types.ts';

/** Absent fields stay. */
export interface MediaChange {
  readonly name?: string;
  readonly label?: string | null;
  /** null: to the root of the library. */
  readonly folderId?: Uuid | null;
  readonly altText?: string | null;
  /** In this order; they differ in their `tagKey`. */
  readonly tags?: readonly string[];
  /** After the item's tags; those that exist stay. */
  readonly addedTags?: readonly string[];
  /** By their `tagKey`. */
  readonly removedTags?: readonly string[];
}

/** All conditions hold. */
export interface MediaFilter {
  /** null: at the root. */
  readonly folderId?: Uuid | null;
  readonly status?: MediaStatus;
  /** Items of unknown type are of neither kind. */
  readonly kind?: MediaKind;
  /** Part of the name or the label, case ignored; `%` and `_` mean nothing special. */
  readonly search?: string;
  /** Created at or after; milliseconds since the epoch. */
  readonly from?: number;
  /** Created at or before. */
  readonly to?: number;
  /** Case ignored. */
  readonly tag?: string;
  /** Lower-case hex. */
  readonly sha256?: string;
}

/** Ties by id, in the same direction. */
export interface MediaSort {
  /** `name` ignores case and sorts equal ones by label; `size` sorts items without one first. */
  readonly by: 'updated_at' | 'created_at' | 'name' | 'size';
  readonly descending: boolean;
}

export const DEFAULT_MEDIA_SORT: MediaSort = { by: 'updated_at', descending: true };

export interface MediaQuery extends MediaFilter {
  readonly sort?: MediaSort;
}

/** Covers included. */
export interface UninspectedPage {
  readonly ids: readonly Uuid[];
  /** null: this is the last page. */
  readonly next: Uuid | null;
}

export interface InspectedFile {
  readonly details: MediaDetails;
  /** Lower-case hex; null if it can't be computed. */
  readonly sha256: string | null;
}

/** Covers are found by id but never listed. */
export interface MediaRepository {
  /**
   * All or none; a cover may come with its video.
   *
   * @param coversDue those whose covers are to be made later (`CoverQueue`)
   * @param completion stored with them
   * @returns `folder_missing`, and nothing is inserted, if a folder isn't (any more) one of the item's workspace
   */
  insert(
    items: readonly MediaItem[],
    coversDue?: readonly Uuid[],
    completion?: RepeatCompletion,
  ): Promise<'kept' | 'folder_missing'>;
  find(id: Uuid): Promise<MediaWithCover | null>;
  /**
   * A slice past the end has no items; `total` counts all.
   *
   * @throws Refusal `busy` where it takes long and too many wait; also once the signal is aborted
   */
  list(workspaceId: Uuid, query: MediaQuery, slice: Slice, signal?: AbortSignal): Promise<Rows<MediaWithCover>>;
  /** In the order in which they were given; items without are left out. At most 100 at a time. */
  tagsOf(ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, readonly string[]>>;
  /**
   * Posts of each item; items without are left out. At most 100 at a time.
   *
   * @throws Refusal as {@link list}
   */
  postsOf(workspaceId: Uuid, ids: readonly Uuid[], signal?: AbortSignal): Promise<ReadonlyMap<Uuid, number>>;
  /** null if there is no such item. Changes nothing with `folder_missing`, or `too_many_tags` above `MAX_TAGS`. */
  update(
    id: Uuid,
    change: MediaChange,
    now: number,
  ): Promise<MediaWithCover | 'folder_missing' | 'too_many_tags' | null>;
  /**
   * Removes the item and its cover, and returns the full names of objects without a row now, to one caller alone; null
   * if there is no such item; `in_use`, and it stays, if a post uses it.
   *
   * @param recordedAt when the objects and the upload are recorded as deletions; undefined: they aren't
   */
  remove(id: Uuid, recordedAt?: number): Promise<readonly string[] | 'in_use' | null>;
  /** Of all workspaces, covers included, in the order of their ids. Fewer than `limit`: no more follow. */
  listActive(after: Uuid | null, limit: number): Promise<readonly ActiveMedia[]>;
  /**
   * Active items without details or hash, in the order of their ids, without those whose hash can't be computed. A page
   * may have fewer items than `limit`, or none, although others follow.
   */
  listUninspected(after: Uuid | null, limit: number): Promise<UninspectedPage>;
  /**
   * Stores details and hash if they aren't known; nothing else changes. {@link listUninspected} leaves the item out
   * then; without a hash it is listed again after an {@link update}.
   *
   * @returns false if there is no such active item
   */
  storeInspected(id: Uuid, file: InspectedFile): Promise<boolean>;
  /** Those of a row, or of a recorded deletion. At most 1,000 at a time. */
  existingFullNames(fullNames: readonly string[]): Promise<ReadonlySet<string>>;
}
