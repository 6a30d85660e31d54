import type { FenceRepository } from '../library/fence.ts';
import type { Library, LibraryRepository } from '../library/library-repository.ts';
import type { MediaRepository } from '../media/media-repository.ts';
import type { Digest } from '../objects/object-storage.ts';
import type { WorkspaceRepository } from '../workspaces/workspace-repository.ts';

/** A copy of the database at one point in time. It belongs to its maker: writing to it changes nothing else. */
export interface DatabaseCopy {
  readonly media: Pick<MediaRepository, 'listActive' | 'remove'>;
  readonly workspaces: Pick<WorkspaceRepository, 'list'>;
  /** Ends writing to the copy and returns it as a file of `size` bytes. The repositories can't be used afterwards. */
  seal(): Promise<{ readonly size: number; readonly body: AsyncIterable<Uint8Array> }>;
  /** Removes the copy. Repeated calls do nothing. */
  discard(): Promise<void>;
}

/** Makes copies of a database while it is in use. */
export interface DatabaseBackups {
  /**
   * Copies everything committed before the call, and possibly some of what is committed during it. Readers and writers
   * don't wait for it. If the process is killed, a file remains beside `path`, but never a copy that looks complete.
   *
   * @param path a file that doesn't exist yet; temporary files are created beside it
   */
  copyTo(path: string): Promise<DatabaseCopy>;
}

/** A database file that was received but isn't at its final path yet. */
export interface ReceivedDatabase {
  readonly library: LibraryRepository;
  readonly fence: FenceRepository;
  readonly media: Pick<MediaRepository, 'existingFullNames' | 'find' | 'listActive'>;
}

/** The path at which a backup's database is restored. */
export interface DatabaseRestore {
  /**
   * What exists at the path already: null if there is nothing, otherwise the library of the database there, if it has
   * one. Throws BackupError if there is a file that is no database, or a file beside it that would interfere with the
   * database.
   */
  existing(): Promise<{ readonly library: Library | null } | null>;
  /** Receives the database's file as a stream; called once. The file isn't visible before {@link commit}. */
  receive(body: AsyncIterable<Uint8Array>): Promise<Digest>;
  /**
   * Opens the received file and migrates it; it stays open until {@link commit}. Repeated calls return the same. Throws
   * BackupError if it is no valid database, is newer than this program, or has a table, index, trigger or view that
   * this program doesn't create: a backup carries nothing but rows.
   */
  open(): Promise<ReceivedDatabase>;
  /**
   * Moves the received file to its path, durably; it must have been opened. Throws, and changes nothing, if another
   * file has been created there meanwhile.
   */
  commit(): Promise<void>;
  /** Removes the received file. Does nothing after {@link commit}. */
  discard(): Promise<void>;
}
