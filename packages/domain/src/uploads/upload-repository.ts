import type { IdempotencyCompletion } from '../idempotency/idempotency-repository.ts';
import type { Uuid } from '../ids.ts';
import type { ActiveMedia, FailedMedia, MediaWithCover } from '../media/item.ts';

/** The cover of an item; `due` means that it will be made in the background, null that there won't be one. */
export type CoverOutcome = ActiveMedia | 'due' | null;

export interface NewFile {
  readonly item: ActiveMedia;
  readonly cover: CoverOutcome;
}

/** The result for an item that waited for its file. */
export type PendingOutcome =
  | {
      readonly item: ActiveMedia;
      readonly cover: CoverOutcome;
      /** If given, and another item has the same bytes by now, the id becomes an alias of that item until this time. */
      readonly aliasUntil?: number;
    }
  | { readonly item: FailedMedia; readonly cover: null }
  /** The id becomes an alias of the item with these bytes. */
  | { readonly item: null; readonly sha256: string; readonly aliasUntil: number };

/** Stores files that came in a request. For items that waited for their file, see `ProcessingRepository`. */
export interface UploadRepository {
  /**
   * Inserts all files or none. A file whose bytes another item already has isn't inserted. Only one of several
   * concurrent calls with the same bytes inserts them.
   *
   * @param known hashes whose items were found already
   * @returns the items of all hashes; `gone` if an item of `known` no longer exists; `folder_missing` if a folder no
   *   longer exists. In both of these cases, nothing is inserted
   */
  insertNew(
    workspaceId: Uuid,
    files: readonly NewFile[],
    known: readonly string[],
    complete?: (items: ReadonlyMap<string, MediaWithCover>) => IdempotencyCompletion,
  ): Promise<ReadonlyMap<string, MediaWithCover> | 'gone' | 'folder_missing'>;
}
