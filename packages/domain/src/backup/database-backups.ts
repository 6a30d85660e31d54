import type { FenceRepository } from '../library/fence.ts';
import type { Library, LibraryRepository } from '../library/library-repository.ts';
import type { MediaRepository } from '../media/media-repository.ts';
import type { Digest } from '../objects/object-storage.ts';
import type { TrashRepository } from '../trash/trash-repository.ts';
import type { WorkspaceRepository } from '../workspaces/workspace-repository.ts';

/** Writing to it changes nothing else. */
export interface DatabaseCopy {
  readonly media: Pick<MediaRepository, 'listActive' | 'remove'>;
  readonly trashed: Pick<TrashRepository, 'remove'>;
  readonly workspaces: Pick<WorkspaceRepository, 'list'>;
  /** Ends writing. The repositories can't be used afterwards. */
  seal(): Promise<{ readonly size: number; readonly body: AsyncIterable<Uint8Array> }>;
  discard(): Promise<void>;
}

export interface DatabaseBackups {
  /**
   * Copies what was committed before the call; nobody waits for it. A kill leaves no copy that looks complete.
   *
   * @param path doesn't exist yet
   */
  copyTo(path: string): Promise<DatabaseCopy>;
}

export interface ReceivedDatabase {
  readonly library: LibraryRepository;
  readonly fence: FenceRepository;
  readonly media: Pick<MediaRepository, 'existingFullNames' | 'findStored' | 'listActive'>;
}

export interface DatabaseRestore {
  /** null if there is nothing. @throws BackupError for a file that is no database, or would interfere with it */
  existing(): Promise<{ readonly library: Library | null } | null>;
  /** Once; invisible before {@link commit}. */
  receive(body: AsyncIterable<Uint8Array>): Promise<Digest>;
  /**
   * Opens the received file and migrates it.
   *
   * @throws BackupError if it is no valid database, newer than this program, or has more than rows: a table, index,
   *   trigger or view of others
   */
  open(): Promise<ReceivedDatabase>;
  /** Durable. Throws, and changes nothing, if there is another file by now. */
  commit(): Promise<void>;
  discard(): Promise<void>;
}
