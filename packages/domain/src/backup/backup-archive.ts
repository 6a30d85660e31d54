import type { Digest } from '../objects/object-storage.ts';

/** An error whose message is one line for an operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** A file in a backup. Its body can be read only once, and before the next file is requested. */
export interface BackupMember {
  readonly name: string;
  readonly size: number;
  /** SHA-256 of the body, lower-case hex; null when it wasn't recorded. */
  readonly sha256: string | null;
  readonly body: AsyncIterable<Uint8Array>;
}

export type BackupOutcome = 'whole' | 'incomplete';

/**
 * A backup that is being written. It is invisible until {@link finish} is called, so what a killed process has written
 * is never taken for a backup.
 */
export interface BackupWriter {
  /** Adds a file of exactly `size` bytes. @throws BackupError on failure; the backup must be discarded then */
  add(member: BackupMember): Promise<Digest>;
  /**
   * Completes the backup atomically and durably. A whole backup replaces the earlier one. An incomplete backup has its
   * own path, so it never replaces a whole one.
   *
   * @returns the path; null for a streamed backup
   * @throws BackupError; the earlier backup is kept then
   */
  finish(outcome: BackupOutcome): Promise<string | null>;
  discard(): Promise<void>;
}

export interface ExistingBackup {
  readonly path: string;
  readonly size: number;
  /** The backup's last file, which describes it; null if the file isn't a backup or is truncated. */
  readonly summary: Uint8Array | null;
}

export interface BackupDestination {
  /** null if the backup is streamed. */
  readonly path: string | null;
  readonly copyPath: string;
  /**
   * Finds existing backups by their names, and yields them newest first. A backup is inspected only when the iteration
   * reaches it.
   */
  existing(outcome: BackupOutcome): AsyncIterable<ExistingBackup>;
  /** @throws BackupError */
  open(): Promise<BackupWriter>;
  /** @throws BackupError */
  remove(path: string): Promise<void>;
}

/** A source from which objects that the storage has lost can be restored. */
export interface ObjectSource {
  readonly name: string;
  /**
   * Returns the requested objects that the source has, in any order. The body of each object must be read before the
   * next object is requested.
   *
   * @throws BackupError
   */
  objects(keys: ReadonlySet<string>): AsyncIterable<BackupMember>;
}

/**
 * The files of a backup, in the order in which they were added. Reading a body also verifies it.
 *
 * @throws BackupError where the backup is truncated or damaged
 */
export type BackupReader = AsyncIterable<BackupMember>;
