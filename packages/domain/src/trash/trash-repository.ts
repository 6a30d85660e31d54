import type { Uuid } from '../ids.ts';
import type { ActiveMedia, MediaWithCover } from '../media/item.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { ExpectedVersions } from '../versions/version.ts';

/** A deleted item that can be restored. */
export interface TrashedMedia extends MediaWithCover {
  readonly item: ActiveMedia;
  readonly trashedAt: number;
}

/**
 * Deleted items with their covers and tags. No other repository finds them, but `MediaRepository.listActive`,
 * `findStored` and `existingFullNames` know that their objects are needed, and quotas that they take space.
 */
export interface TrashRepository {
  /**
   * Moves an active item here. Returns the full names of its objects, to one caller alone; null if there is no item.
   *
   * @throws Refusal `changed`
   */
  add(id: Uuid, now: number, expected?: ExpectedVersions): Promise<readonly string[] | 'in_use' | 'not_active' | null>;
  find(id: Uuid): Promise<TrashedMedia | null>;
  /** The latest first. @param search as `MediaFilter.search` @throws Refusal `busy`; also once the signal is aborted */
  list(workspaceId: Uuid, search: string | undefined, slice: Slice, signal?: AbortSignal): Promise<Rows<TrashedMedia>>;
  /** Puts an item back into its folder, or the root if that is gone, whatever the quota. null if it isn't here. */
  restore(
    id: Uuid,
    now: number,
    complete?: (restored: MediaWithCover) => RepeatCompletion,
  ): Promise<MediaWithCover | null>;
  /** Replaces an item by recorded deletions. false if it isn't here. */
  remove(id: Uuid, now: number): Promise<boolean>;
  /** Nobody finds what the workspace has here now any more; {@link removeDue} removes it. */
  empty(workspaceId: Uuid, now: number): Promise<void>;
  /** Removes some of what the workspace has emptied. @returns 0 once nothing is left */
  removeEmptied(workspaceId: Uuid, now: number, limit: number): Promise<number>;
  /**
   * Removes what was emptied, workspaces in turns, and what was trashed before the time.
   *
   * @param limit items, about
   * @returns 0 once nothing is left
   */
  removeDue(before: number, now: number, limit: number): Promise<number>;
  /** Which of the objects are of items here, and which of items in the library. At most 1,000 at a time. */
  among(
    fullNames: readonly string[],
  ): Promise<{ readonly trashed: ReadonlySet<string>; readonly live: ReadonlySet<string> }>;
}
