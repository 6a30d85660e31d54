import type { Digest } from './digests.ts';
import type { MediaRepository } from './media-repository.ts';
import type { WorkspaceRepository } from './workspace-repository.ts';

/** A copy of the database as it was at one moment. Nobody else sees it, and writing to it changes nothing else. */
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

/** The place of a database that a backup is restored to. */
export interface DatabaseRestore {
  /** Whether there is a database already. */
  isTaken(): Promise<boolean>;
  /** Takes the database's file as it comes. Nobody sees it before {@link commit}. */
  receive(body: AsyncIterable<Uint8Array>): Promise<Digest>;
  /**
   * Puts the received file in its place, durably. Throws, and leaves everything as it was, when it is no sound database,
   * is newer than this program, or another came to the place meanwhile.
   */
  commit(): Promise<void>;
  /** Removes what was received. After {@link commit} it does nothing. */
  discard(): Promise<void>;
}
