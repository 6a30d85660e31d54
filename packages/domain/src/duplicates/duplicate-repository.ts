import type { CoverOutcome } from '../covers/cover-queue.ts';
import type { Uuid } from '../ids.ts';
import type { ActiveMedia, FailedMedia, MediaWithCover } from '../media/item.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';

/** A new item whose object is published. */
export interface NewFile {
  readonly item: ActiveMedia;
  readonly cover: CoverOutcome;
}

/** What becomes of an item that waited for its file. */
export type PendingOutcome =
  | {
      readonly item: ActiveMedia;
      readonly cover: CoverOutcome;
      /**
       * Set where a duplicate is to be returned: if another item has the same bytes by now, this one goes, and its id
       * stands for the other until then (milliseconds since the epoch).
       */
      readonly aliasUntil?: number;
    }
  | { readonly item: FailedMedia; readonly cover: null }
  /** The id stands for the item with these bytes; where there is none (any more) nothing is changed. */
  | { readonly item: null; readonly sha256: string; readonly aliasUntil: number };

/**
 * Items with the same bytes: `active` ones of the same workspace with the same SHA-256, covers excluded; where there are
 * several, any one of them. Also aliases: ids that were given out before their bytes were known and stand for another
 * item. An alias ends after {@link ALIAS_LIFETIME}, goes with its item and is in no list.
 */
export interface DuplicateRepository {
  /** The item that has these bytes; null when there is none. */
  find(workspaceId: Uuid, sha256: string): Promise<MediaWithCover | null>;
  /**
   * Keeps new items of one workspace, all or nothing, but for those whose bytes another item has: that one stands in
   * the answer in their place. Of concurrent calls with the same bytes, also from several processes, one keeps its item.
   *
   * @param known hashes of further files, whose items were found before
   * @param complete says what is kept with them
   * @returns the items by hash: of `files` and of `known`, as they are when the new ones are kept. Nothing is kept with
   *   `gone`, where an item of `known` isn't there any more, and with `folder_missing` as of `MediaRepository.insert`
   */
  insert(
    workspaceId: Uuid,
    files: readonly NewFile[],
    known: readonly string[],
    complete?: (items: ReadonlyMap<string, MediaWithCover>) => RepeatCompletion,
  ): Promise<ReadonlyMap<string, MediaWithCover> | 'gone' | 'folder_missing'>;
  /** The item that an id stands for at `now`; null for every other id. */
  resolve(id: Uuid, now: number): Promise<MediaWithCover | null>;
  /** Forgets the ids that ended before the time. Answers how many. */
  reap(before: number): Promise<number>;
}
