import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { MediaDetails } from './details.ts';
import type { ActiveMedia, MediaItem, MediaStatus, MediaWithCover } from './item.ts';
import type { MediaKind } from './types.ts';

/** Changes that a person makes to an item; what is absent stays. */
export interface MediaChange {
  readonly name?: string;
  readonly label?: string | null;
  /** null moves it to the root of the library. */
  readonly folderId?: Uuid | null;
  readonly altText?: string | null;
  /** All that it has from then on, in this order; they differ in their `tagKey`. */
  readonly tags?: readonly string[];
  /** Added after the item's tags; an existing one stays as it is. */
  readonly addedTags?: readonly string[];
  /** By their `tagKey`. */
  readonly removedTags?: readonly string[];
}

/** All of those given must hold. */
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
  /** Has this tag, upper and lower case the same. */
  readonly tag?: string;
  /** Has these bytes: lower-case hex. */
  readonly sha256?: string;
}

/** What a list is sorted by; ties by id, in the same direction. */
export interface MediaSort {
  /** `name` without regard to case, items of one name by label; `size` has those without one first. */
  readonly by: 'updated_at' | 'created_at' | 'name' | 'size';
  readonly descending: boolean;
}

export const DEFAULT_MEDIA_SORT: MediaSort = { by: 'updated_at', descending: true };

/** A list that is asked for. */
export interface MediaQuery extends MediaFilter {
  readonly sort?: MediaSort;
}

/** Items whose files are still to be inspected, covers included. */
export interface UninspectedPage {
  readonly ids: readonly Uuid[];
  /** Where the next page begins; null where nothing comes after. */
  readonly next: Uuid | null;
}

/** What a later inspection found in a file that was stored without one. */
export interface InspectedFile {
  readonly details: MediaDetails;
  /** Lower-case hex; null where it can't be had. */
  readonly sha256: string | null;
}

/** Media items of all workspaces, covers included; a cover is found by its id but never listed. */
export interface MediaRepository {
  /**
   * Keeps new items, all or nothing; a cover may come with its video in one call.
   *
   * @param coversDue those of them whose covers are to be made later (`CoverQueue`)
   * @param completion kept with them
   * @returns `folder_missing` when a folder of theirs isn't (any more) a folder of the item's workspace: nothing is kept.
   */
  insert(
    items: readonly MediaItem[],
    coversDue?: readonly Uuid[],
    completion?: RepeatCompletion,
  ): Promise<'kept' | 'folder_missing'>;
  /** The item with its cover; null when there is none. */
  find(id: Uuid): Promise<MediaWithCover | null>;
  /**
   * In the order that is asked for ({@link DEFAULT_MEDIA_SORT}). A slice past the end has no items; `total` counts all that
   * pass the filter.
   *
   * @param signal ends it where it takes long
   * @throws Refusal `busy` where it takes long and too many wait; also once the signal is aborted
   */
  list(workspaceId: Uuid, query: MediaQuery, slice: Slice, signal?: AbortSignal): Promise<Rows<MediaWithCover>>;
  /** The tags of the items, in the order in which they were given; an item without any isn't in the answer. At most 100 at a time. */
  tagsOf(ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, readonly string[]>>;
  /**
   * How many posts hold each of the items, which are all of the workspace; an item without any isn't in the answer. At most 100
   * at a time.
   *
   * @param signal ends it where it takes long
   * @throws Refusal `busy` where it takes long and too many wait; also once the signal is aborted
   */
  postsOf(workspaceId: Uuid, ids: readonly Uuid[], signal?: AbortSignal): Promise<ReadonlyMap<Uuid, number>>;
  /**
   * Applies the change and sets `updatedAt`. null when there is no such item (any more); `folder_missing` as for
   * {@link insert}, `too_many_tags` where it would have more than `MAX_TAGS`, and nothing is changed.
   */
  update(
    id: Uuid,
    change: MediaChange,
    now: number,
  ): Promise<MediaWithCover | 'folder_missing' | 'too_many_tags' | null>;
  /**
   * Removes the item and its cover, and answers the full names whose objects have no row any more; null when there
   * is no such item (any more), so that of two callers one gets them. `in_use` when a post uses it: it stays.
   */
  remove(id: Uuid): Promise<readonly string[] | 'in_use' | null>;
  /**
   * The first `limit` active items, of all workspaces and covers included, whose id comes after the given one, ordered
   * by id; null begins with the first. Fewer than `limit` are the last.
   */
  listActive(after: Uuid | null, limit: number): Promise<readonly ActiveMedia[]>;
  /**
   * Active items without details or hash, in the order of their ids, without those whose hash can't be had
   * ({@link keepInspected}). Looks at no more than `limit` rows, so a page may have fewer or none although others follow.
   *
   * @param after {@link UninspectedPage.next} of the page before; null begins with the first
   */
  listUninspected(after: Uuid | null, limit: number): Promise<UninspectedPage>;
  /**
   * Keeps details and hash where they aren't known yet; nothing else of the item changes, not even `updatedAt`. Whatever was
   * found, {@link listUninspected} leaves the item out from then on; one without a hash comes back by {@link update}.
   *
   * @returns false where there is no such active item (any more)
   */
  keepInspected(id: Uuid, file: InspectedFile): Promise<boolean>;
  /** Those of the given full names that a row has. At most 1,000 at a time. */
  existingFullNames(fullNames: readonly string[]): Promise<ReadonlySet<string>>;
}
