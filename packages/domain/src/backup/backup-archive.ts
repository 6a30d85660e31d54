import type { Digest } from '../objects/object-storage.ts';

/** The message is one line for an operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** Its body is read once, before the next file. */
export interface BackupMember {
  readonly name: string;
  readonly size: number;
  /** SHA-256 of the body, lower-case hex; null when it wasn't recorded. */
  readonly sha256: string | null;
  readonly body: AsyncIterable<Uint8Array>;
}

export type BackupOutcome = 'whole' | 'incomplete';

/** A backup being written, invisible before {@link finish}; what a kill leaves doesn't count as a backup. */
export interface BackupWriter {
  /** Adds exactly `size` bytes. @throws BackupError if that fails: the backup is to be discarded then */
  add(member: BackupMember): Promise<Digest>;
  /**
   * Atomic and durable, over an earlier backup; an incomplete one has a path of its own.
   *
   * @returns null for a streamed backup
   * @throws BackupError and leaves the earlier one
   */
  finish(outcome: BackupOutcome): Promise<string | null>;
  discard(): Promise<void>;
}

export interface ExistingBackup {
  readonly path: string;
  readonly size: number;
  /** The backup's last file, which describes it; null when this is no backup or is cut off. */
  readonly summary: Uint8Array | null;
}

export interface BackupDestination {
  /** null: it is streamed. */
  readonly path: string | null;
  readonly copyPath: string;
  /** The newest name first, each inspected when it is iterated. */
  existing(outcome: BackupOutcome): AsyncIterable<ExistingBackup>;
  /** @throws BackupError */
  open(): Promise<BackupWriter>;
  /** @throws BackupError */
  remove(path: string): Promise<void>;
}

/** Objects that a storage may have lost. */
export interface ObjectSource {
  readonly name: string;
  /**
   * Those that the source has, in any order; a body is read before the next object.
   *
   * @throws BackupError
   */
  objects(keys: ReadonlySet<string>): AsyncIterable<BackupMember>;
}

/** In the order of adding; readers verify the bodies. @throws BackupError where the backup is cut off or damaged */
export type BackupReader = AsyncIterable<BackupMember>;
