import type { Library, LibraryRepository } from '../library/library-repository.ts';
import type { MediaRepository } from '../media/media-repository.ts';
import type { Digest } from '../objects/object-storage.ts';
import type { WorkspaceRepository } from '../workspaces/workspace-repository.ts';

/** A copy of the database as of one point in time, private to its maker: writing to it changes nothing else. */
export interface DatabaseCopy {
  readonly media: Pick<MediaRepository, 'listActive' | 'remove'>;
  readonly workspaces: Pick<WorkspaceRepository, 'list'>;
  /** Ends the changes: the copy as a file, `size` bytes long. The repositories are out of use from here. */
  seal(): Promise<{ readonly size: number; readonly body: AsyncIterable<Uint8Array> }>;
  /** Removes the copy. A repeat does nothing. */
  discard(): Promise<void>;
}

/** Makes copies of a database while it is in use. */
export interface DatabaseBackups {
  /**
   * A copy of everything committed before the call, and of some of what is committed during it. Readers and writers
   * don't wait for it. A kill leaves a file beside `path`, never a copy that looks whole.
   *
   * @param path a file that isn't there; what the copy needs meanwhile is beside it
   */
  copyTo(path: string): Promise<DatabaseCopy>;
}

/** A database that was received and isn't in its place yet. */
export interface ReceivedDatabase {
  readonly library: LibraryRepository;
  readonly media: Pick<MediaRepository, 'existingFullNames' | 'find' | 'listActive'>;
}

/** The place of a database that a backup is restored to. */
export interface DatabaseRestore {
  /**
   * What is at the place already: null where there is nothing; the library, where a database has one.
   * Throws BackupError where there is another file, or one beside the place that would interfere with the database.
   */
  existing(): Promise<{ readonly library: Library | null } | null>;
  /** Takes the database's file as it comes; once. It is not visible before {@link commit}. */
  receive(body: AsyncIterable<Uint8Array>): Promise<Digest>;
  /**
   * Opens what was received, brought up to date, until {@link commit}. A second time it answers the same.
   * Throws BackupError when it is no sound database, is newer than this program, or has a table, an index, a trigger or a
   * view that this program doesn't make: rows are all that a backup carries.
   */
  open(): Promise<ReceivedDatabase>;
  /**
   * Puts the received file in its place, durably, once it was opened. Throws, and leaves everything as it was, when
   * another came to the place meanwhile.
   */
  commit(): Promise<void>;
  /** Removes what was received. After {@link commit} it does nothing. */
  discard(): Promise<void>;
}
