import type { FenceRepository } from '../library/fence.ts';
import type { Library, LibraryRepository } from '../library/library-repository.ts';
import type { MediaRepository } from '../media/media-repository.ts';
import type { Digest } from '../objects/object-storage.ts';
import type { WorkspaceRepository } from '../workspaces/workspace-repository.ts';

/** A copy of one point in time. Writing to it changes nothing else. */
export interface DatabaseCopy {
  readonly media: Pick<MediaRepository, 'listActive' | 'remove'>;
  readonly workspaces: Pick<WorkspaceRepository, 'list'>;
  /** Ends writing and returns the copy as a file of `size` bytes. The repositories can't be used afterwards. */
  seal(): Promise<{ readonly size: number; readonly body: AsyncIterable<Uint8Array> }>;
  /** Repeated calls do nothing. */
  discard(): Promise<void>;
}

export interface DatabaseBackups {
  /**
   * Copies what was committed before the call; nobody waits for it. A kill leaves a file beside `path`, never a copy
   * that looks complete.
   *
   * @param path doesn't exist yet
   */
  copyTo(path: string): Promise<DatabaseCopy>;
}

export interface ReceivedDatabase {
  readonly library: LibraryRepository;
  readonly fence: FenceRepository;
  readonly media: Pick<MediaRepository, 'existingFullNames' | 'find' | 'listActive'>;
}

export interface DatabaseRestore {
  /**
   * null if there is nothing, otherwise the database's library, if it has one.
   *
   * @throws BackupError for a file that is no database, or would interfere with it
   */
  existing(): Promise<{ readonly library: Library | null } | null>;
  /** Called once. The file is invisible before {@link commit}. */
  receive(body: AsyncIterable<Uint8Array>): Promise<Digest>;
  /**
   * Opens the received file and migrates it, once.
   *
   * @throws BackupError if it is no valid database, newer than this program, or has more than rows: a table, index,
   *   trigger or view of others
   */
  open(): Promise<ReceivedDatabase>;
  /** Moves the opened file to its path, durably. Throws, and changes nothing, if there is another file by now. */
  commit(): Promise<void>;
  /** Does nothing after {@link commit}. */
  discard(): Promise<void>;
}
