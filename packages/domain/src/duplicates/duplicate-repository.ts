import type { CoverOutcome } from '../covers/cover-queue.ts';
import type { Uuid } from '../ids.ts';
import type { ActiveMedia, FailedMedia, MediaWithCover } from '../media/item.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';

export interface NewFile {
  readonly item: ActiveMedia;
  readonly cover: CoverOutcome;
}

/** The result for an item that waited for its file. */
export type PendingOutcome =
  | {
      readonly item: ActiveMedia;
      readonly cover: CoverOutcome;
      /** If another item has the same bytes by now, the id is its alias until then. */
      readonly aliasUntil?: number;
    }
  | { readonly item: FailedMedia; readonly cover: null }
  /** The id becomes an alias of the item with these bytes. */
  | { readonly item: null; readonly sha256: string; readonly aliasUntil: number };

/**
 * `active` items of a workspace with the same SHA-256, without covers. An alias, an id issued before its bytes were
 * known, expires, is deleted with its item, and is in no list.
 */
export interface DuplicateRepository {
  find(workspaceId: Uuid, sha256: string): Promise<MediaWithCover | null>;
  /**
   * All or none, except those whose bytes another item has. Of concurrent calls with the same bytes one inserts.
   *
   * @param known hashes whose items were found already
   * @returns the items of all hashes; nothing is inserted with `gone` (an item of `known`) or `folder_missing`
   */
  insert(
    workspaceId: Uuid,
    files: readonly NewFile[],
    known: readonly string[],
    complete?: (items: ReadonlyMap<string, MediaWithCover>) => RepeatCompletion,
  ): Promise<ReadonlyMap<string, MediaWithCover> | 'gone' | 'folder_missing'>;
  resolve(id: Uuid, now: number): Promise<MediaWithCover | null>;
  /** At most `limit` expired aliases. */
  reap(before: number, limit: number): Promise<number>;
}
