import type { Digest } from '../objects/object-storage.ts';

/** The message is one line for an operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** A file of a backup. Its body is read once, before the next file. */
export interface BackupMember {
  readonly name: string;
  readonly size: number;
  /** SHA-256 of the body, lower-case hex; null when it wasn't recorded. */
  readonly sha256: string | null;
  readonly body: AsyncIterable<Uint8Array>;
}

/** `incomplete`: what could be saved of a damaged library. */
export type BackupOutcome = 'whole' | 'incomplete';

/** A backup being written, invisible before {@link finish}; what a kill leaves doesn't count as a backup. */
export interface BackupWriter {
  /**
   * Adds exactly `size` bytes, with memory bounded by a chunk.
   *
   * @throws BackupError if it can't be written; also if the body has another length or fails: the backup is to be
   *   discarded then
   */
  add(member: BackupMember): Promise<Digest>;
  /**
   * Replaces an earlier backup at the path, atomically and durably; an incomplete one has a path of its own.
   *
   * @returns its path; null for a streamed backup
   * @throws BackupError and leaves the earlier one
   */
  finish(outcome: BackupOutcome): Promise<string | null>;
  /** Does nothing after {@link finish}. */
  discard(): Promise<void>;
}

export interface ExistingBackup {
  readonly path: string;
  readonly size: number;
  /** The backup's last file, which describes it; null when this is no backup or is cut off. */
  readonly summary: Uint8Array | null;
}

export interface BackupDestination {
  /** null: it is streamed, so its name can't tell it from an incomplete one. */
  readonly path: string | null;
  /** A free path for the copy of the database. */
  readonly copyPath: string;
  /** The newest name first; each is inspected when it is iterated, with a few reads. */
  existing(outcome: BackupOutcome): AsyncIterable<ExistingBackup>;
  /** @throws BackupError */
  open(): Promise<BackupWriter>;
  /** @throws BackupError */
  remove(path: string): Promise<void>;
}

/** Objects that a storage may have lost: a backup with media, or a copy of the storage. */
export interface ObjectSource {
  readonly name: string;
  /**
   * Those requested that the source has, in any order; a body is read before the next object.
   *
   * @throws BackupError if the source can't be read any further
   */
  objects(keys: ReadonlySet<string>): AsyncIterable<BackupMember>;
}

/**
 * The files in the order in which they were added; readers verify the bodies.
 *
 * @throws BackupError where the backup is cut off or damaged
 */
export type BackupReader = AsyncIterable<BackupMember>;
