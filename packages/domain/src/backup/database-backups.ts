import type { Uuid } from '../ids.ts';
import type { FenceRepository } from '../library/fence.ts';
import type { Library, LibraryRepository } from '../library/library-repository.ts';
import type { MediaRepository } from '../media/media-repository.ts';
import type { Digest } from '../objects/object-storage.ts';
import type { WorkspaceRepository } from '../workspaces/workspace-repository.ts';

/** A copy of the database. Writing to the copy doesn't change the database itself. */
export interface DatabaseCopy {
  readonly media: Pick<MediaRepository, 'listActive'>;
  readonly workspaces: Pick<WorkspaceRepository, 'list'>;
  /**
   * Removes an item with its cover from everything in the copy, including posts and the trash. If the item is a cover,
   * its video is to get another one.
   */
  removeItem(id: Uuid): Promise<void>;
  /** Ends writing to the copy. Its repositories can't be used afterwards. */
  seal(): Promise<{ readonly size: number; readonly body: AsyncIterable<Uint8Array> }>;
  discard(): Promise<void>;
}

export interface DatabaseBackups {
  /**
   * Copies everything that was committed before the call, and blocks no other work. A killed process leaves no copy
   * that looks complete.
   *
   * @param path must not exist yet
   */
  copyTo(path: string): Promise<DatabaseCopy>;
}

export interface ReceivedDatabase {
  readonly library: LibraryRepository;
  readonly fence: FenceRepository;
  readonly media: Pick<MediaRepository, 'existingFullNames' | 'findStored' | 'listActive'>;
}

export interface DatabaseRestore {
  /**
   * Returns null if there is no database.
   *
   * @throws BackupError if there is a file that isn't a database, or one that would interfere with a restored database
   */
  existing(): Promise<{ readonly library: Library | null } | null>;
  /** Receives the database file, which stays invisible before {@link commit}. Call it once. */
  receive(body: AsyncIterable<Uint8Array>): Promise<Digest>;
  /**
   * Opens the received file and migrates it.
   *
   * @throws BackupError if it isn't a valid database, is newer than this program, or has tables, indexes, triggers or
   *   views that aren't Postshelf's
   */
  open(): Promise<ReceivedDatabase>;
  /** Puts the received file in place durably. Throws and changes nothing if a database file has appeared meanwhile. */
  commit(): Promise<void>;
  discard(): Promise<void>;
}
