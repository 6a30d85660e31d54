import type { Digest } from '../objects/object-storage.ts';

/** A backup can't be made, read or restored. The message is one line for an operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** A file of a backup. Its body can be read once, before the next file. */
export interface BackupMember {
  readonly name: string;
  /** Bytes, as announced before the body. */
  readonly size: number;
  /** The expected SHA-256 of the body, lower-case hex; null when it wasn't recorded. */
  readonly sha256: string | null;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Whether a backup is complete, or contains what could be saved of a damaged library. */
export type BackupOutcome = 'whole' | 'incomplete';

/**
 * A backup that is being written. It isn't visible before {@link finish}; if the process is killed, the file that
 * remains doesn't count as a backup.
 */
export interface BackupWriter {
  /**
   * Adds a file of exactly `size` bytes, with memory bounded by a chunk, and returns the digest of its body.
   * Throws when the body is longer or shorter, and rethrows its errors; the backup has to be discarded then. Throws
   * {@link BackupError} when it can't be written.
   */
  add(member: BackupMember): Promise<Digest>;
  /**
   * Puts the backup at its path, atomically and durably, replacing an earlier one. An incomplete one goes to the path
   * for incomplete backups. Throws {@link BackupError} when that fails, and leaves the earlier one.
   *
   * @returns its path; null for a streamed backup
   */
  finish(outcome: BackupOutcome): Promise<string | null>;
  /** Removes what was written. Does nothing after {@link finish}. */
  discard(): Promise<void>;
}

/** A file where backups are stored. */
export interface ExistingBackup {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** The backup's last file, which describes it; null when this is no backup or is cut off. */
  readonly summary: Uint8Array | null;
}

/** Where a backup is written, and the backups that exist there. */
export interface BackupDestination {
  /** The path of a complete backup. null: it is streamed, so its name can't distinguish it from an incomplete one. */
  readonly path: string | null;
  /** A free path for the copy of the database. */
  readonly copyPath: string;
  /**
   * The files with names of backups of this destination, the newest name first. Each is inspected when it is iterated,
   * with a few reads whatever its size.
   */
  existing(outcome: BackupOutcome): AsyncIterable<ExistingBackup>;
  /** Starts a backup. Throws {@link BackupError} when none can be written there. */
  open(): Promise<BackupWriter>;
  /** Removes one of the {@link existing} files. Throws {@link BackupError} when it can't be. */
  remove(path: string): Promise<void>;
}

/** A source of objects that a storage has lost: a backup with media, or a copy of the storage. */
export interface ObjectSource {
  /** Its name in messages. */
  readonly name: string;
  /**
   * The requested objects that the source has, in any order. A body has to be read before the next object is requested;
   * otherwise it is skipped. The iteration throws {@link BackupError} if the source can't be read any further.
   */
  objects(keys: ReadonlySet<string>): AsyncIterable<BackupMember>;
}

/**
 * The files of a backup in the order in which they were added. The iteration throws {@link BackupError}
 * where the backup is cut off or its structure is damaged; readers have to verify the bodies.
 */
export type BackupReader = AsyncIterable<BackupMember>;
