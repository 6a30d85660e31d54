import type { IdempotencyCompletion } from '../idempotency/idempotency-repository.ts';
import type { Uuid } from '../ids.ts';
import type { ActiveMedia, MediaWithCover } from '../media/item.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { ExpectedVersions } from '../versions/version.ts';

/** A deleted item that can be restored. */
export interface TrashedMedia extends MediaWithCover {
  readonly item: ActiveMedia;
  readonly trashedAt: number;
}

/**
 * Deleted items with their covers and tags. Other repositories don't find them, with these exceptions:
 * `MediaRepository.listActive`, `findStored` and `existingFullNames` include them, and their size counts towards
 * quotas.
 */
export interface TrashRepository {
  /**
   * Moves an active item to the trash. Returns the full names of its objects; only one of several concurrent callers
   * gets them. Returns null if the item doesn't exist.
   *
   * @throws Refusal `changed`
   */
  add(id: Uuid, now: number, expected?: ExpectedVersions): Promise<readonly string[] | 'in_use' | 'not_active' | null>;
  find(id: Uuid): Promise<TrashedMedia | null>;
  /**
   * Lists items, the most recently deleted first.
   *
   * @param search as `MediaFilter.search`
   * @throws Refusal `busy`; also a Refusal once the signal is aborted
   */
  list(workspaceId: Uuid, search: string | undefined, slice: Slice, signal?: AbortSignal): Promise<Rows<TrashedMedia>>;
  /**
   * Restores an item to its folder, or to the root if the folder no longer exists. The quota isn't checked. Returns
   * null if the item isn't in the trash.
   */
  restore(
    id: Uuid,
    now: number,
    complete?: (restored: MediaWithCover) => IdempotencyCompletion,
  ): Promise<MediaWithCover | null>;
  /** Purges an item and records the deletion of its objects. Returns false if it isn't in the trash. */
  purge(id: Uuid, now: number): Promise<boolean>;
  /** Hides the items that the workspace has in the trash now; {@link purgeDue} purges them. */
  empty(workspaceId: Uuid, now: number): Promise<void>;
  /** Purges some of the items that {@link empty} has hidden. @returns 0 once nothing is left */
  purgeEmptied(workspaceId: Uuid, now: number, limit: number): Promise<number>;
  /**
   * Purges some of the items that {@link empty} has hidden, or that were moved to the trash before the given time.
   * Workspaces take turns with their hidden items.
   *
   * @param limit approximate number of items
   * @returns 0 once nothing is left
   */
  purgeDue(before: number, now: number, limit: number): Promise<number>;
  /**
   * Returns which of the objects belong to items in the trash, and which to items in the library. At most 1,000 at a
   * time.
   */
  among(
    fullNames: readonly string[],
  ): Promise<{ readonly trashed: ReadonlySet<string>; readonly live: ReadonlySet<string> }>;
}
