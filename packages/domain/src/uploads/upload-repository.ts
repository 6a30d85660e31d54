import type { Uuid } from '../ids.ts';
import type { ActiveMedia, FailedMedia, MediaWithCover } from '../media/item.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';

/** `due`: to be made in the background. */
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
      /** If another item has the same bytes by now, the id is its alias until then. */
      readonly aliasUntil?: number;
    }
  | { readonly item: FailedMedia; readonly cover: null }
  /** The id becomes an alias of the item with these bytes. */
  | { readonly item: null; readonly sha256: string; readonly aliasUntil: number };

/** Files that came in a request. Those that an item waited for: `ProcessingRepository`. */
export interface UploadRepository {
  /**
   * All or none, except those whose bytes another item has. Of concurrent calls with the same bytes one inserts.
   *
   * @param known hashes whose items were found already
   * @returns the items of all hashes; nothing is inserted with `gone` (an item of `known`) or `folder_missing`
   */
  insertNew(
    workspaceId: Uuid,
    files: readonly NewFile[],
    known: readonly string[],
    complete?: (items: ReadonlyMap<string, MediaWithCover>) => RepeatCompletion,
  ): Promise<ReadonlyMap<string, MediaWithCover> | 'gone' | 'folder_missing'>;
}
