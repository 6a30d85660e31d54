import type { CoverOutcome } from '../covers/cover-queue.ts';
import type { Uuid } from '../ids.ts';
import type { ActiveMedia, FailedMedia, MediaWithCover } from '../media/item.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';

/** A new item whose object is published. */
export interface NewFile {
  readonly item: ActiveMedia;
  readonly cover: CoverOutcome;
}

/** The result for an item that waited for its file. */
export type PendingOutcome =
  | {
      readonly item: ActiveMedia;
      readonly cover: CoverOutcome;
      /**
       * Set if a duplicate is to be returned: if another item has the same bytes by now, this one is deleted, and its
       * id is an alias of the other until this time (milliseconds since the epoch).
       */
      readonly aliasUntil?: number;
    }
  | { readonly item: FailedMedia; readonly cover: null }
  /** The id becomes an alias of the item with these bytes; if there is none (any more), nothing is changed. */
  | { readonly item: null; readonly sha256: string; readonly aliasUntil: number };

/**
 * Items with the same bytes: `active` ones of the same workspace with the same SHA-256, covers excluded; if there are
 * several, any one of them. Also aliases: ids that were issued before their bytes were known and now refer to another
 * item. An alias expires after {@link ALIAS_LIFETIME}, is deleted with its item and is in no list.
 */
export interface DuplicateRepository {
  /** The item that has these bytes; null when there is none. */
  find(workspaceId: Uuid, sha256: string): Promise<MediaWithCover | null>;
  /**
   * Inserts new items of one workspace, all or none. An item whose bytes another item has is not inserted; the result
   * has the other one in its place. Of concurrent calls with the same bytes, also from several processes, one inserts
   * its item.
   *
   * @param known hashes of further files whose items were found already
   * @param complete makes what is stored with them
   * @returns the items by hash, of `files` and of `known`, as they are when the new ones are inserted. Nothing is
   *   inserted with `gone`, if an item of `known` was deleted meanwhile, or with `folder_missing` as of
   *   `MediaRepository.insert`
   */
  insert(
    workspaceId: Uuid,
    files: readonly NewFile[],
    known: readonly string[],
    complete?: (items: ReadonlyMap<string, MediaWithCover>) => RepeatCompletion,
  ): Promise<ReadonlyMap<string, MediaWithCover> | 'gone' | 'folder_missing'>;
  /** The item that an alias refers to at `now`; null for every other id. */
  resolve(id: Uuid, now: number): Promise<MediaWithCover | null>;
  /** Removes the aliases that expired before the time. Returns how many. */
  reap(before: number): Promise<number>;
}
