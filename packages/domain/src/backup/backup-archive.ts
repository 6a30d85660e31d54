import type { Digest } from '../objects/object-storage.ts';

/** A backup that can't be taken, read or restored. The message is one line for an operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** A file of a backup, as it is read: its body comes once, and before the next file. */
export interface BackupMember {
  readonly name: string;
  /** Bytes, as announced before the body. */
  readonly size: number;
  /** What the body's SHA-256 has to be, lower-case hex; null where nobody wrote it down. */
  readonly sha256: string | null;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Whether a backup has all that it should have, or what could be saved of a library that is damaged. */
export type BackupOutcome = 'whole' | 'incomplete';

/** A backup that is being written. Nobody sees it before {@link finish}; a kill leaves a file that no backup is in. */
export interface BackupWriter {
  /**
   * Adds a file of exactly `size` bytes, with memory bounded by a chunk, and answers what its body turned out to be.
   * Throws when the body is longer or shorter, and whatever it throws; the backup is to be discarded then. Throws
   * {@link BackupError} when it can't be written.
   */
  add(member: BackupMember): Promise<Digest>;
  /**
   * Puts the backup in its place, whole and durable; one that was there before is replaced. An incomplete one goes to the
   * place's name for those. Throws {@link BackupError} when it can't be put there, and leaves what was there.
   *
   * @returns the path that it has now; null where it has none
   */
  finish(outcome: BackupOutcome): Promise<string | null>;
  /** Drops what was written. After {@link finish} it does nothing. */
  discard(): Promise<void>;
}

/** A file that stands where backups go. */
export interface ExistingBackup {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** The backup's last file, which describes it; null when this is no backup, or one that is cut off. */
  readonly summary: Uint8Array | null;
}

/** Where a backup goes, and the backups that stand there already. */
export interface BackupDestination {
  /** Where a whole one goes. null: it is sent away as it is written, and can't be told from an incomplete one by a name. */
  readonly path: string | null;
  /** A path for the copy of the database, where nothing stands. */
  readonly copyPath: string;
  /**
   * The files under the names that backups of this place have, the newest name first. Each is looked at when it is its
   * turn, with a few reads whatever its size.
   */
  existing(outcome: BackupOutcome): AsyncIterable<ExistingBackup>;
  /** Begins a backup. Throws {@link BackupError} when none can be written there. */
  open(): Promise<BackupWriter>;
  /** Removes one of the {@link existing} files. Throws {@link BackupError} when it can't be. */
  remove(path: string): Promise<void>;
}

/** Where objects can be had from that a storage has lost: a backup with media, or a copy of the storage. */
export interface ObjectSource {
  /** What it is called in messages. */
  readonly name: string;
  /**
   * Those of the objects that it has, by their keys, in any order; a body is read before the next object is asked for, or
   * left. Throws {@link BackupError}, when the iteration comes to it, where the source can't be read any further.
   */
  objects(keys: ReadonlySet<string>): AsyncIterable<BackupMember>;
}

/**
 * The files of a backup in the order in which they were added. Throws {@link BackupError}, when the iteration
 * comes to it, where the backup is cut off or its structure is damaged; damage within a body is the reader's to find.
 */
export type BackupReader = AsyncIterable<BackupMember>;
