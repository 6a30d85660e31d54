import type { Digest } from './digests.ts';

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

/** A backup that is being written. Nobody sees it before {@link finish}; a kill leaves a file that no backup is in. */
export interface BackupWriter {
  /**
   * Adds a file of exactly `size` bytes, with memory bounded by a chunk, and answers what its body turned out to be.
   * Throws when the body is longer or shorter, and whatever it throws; the backup is to be discarded then.
   */
  add(member: BackupMember): Promise<Digest>;
  /** Puts the backup in its place, whole and durable; one that was there before is replaced. */
  finish(): Promise<void>;
  /** Drops what was written. After {@link finish} it does nothing. */
  discard(): Promise<void>;
}

/**
 * The files of a backup in the order in which they were added. Throws {@link BackupError}, when the iteration
 * comes to it, where the backup is cut off or its structure is damaged; damage within a body is the reader's to find.
 */
export type BackupReader = AsyncIterable<BackupMember>;
