import type { Uuid } from '../ids.ts';

/** An object, or a file that was sent to an upload address, whose row is gone and which is to be destroyed. */
export interface Deletion {
  readonly id: Uuid;
  /** The object's key; null for an upload, which is found by its id. */
  readonly fullName: string | null;
  /** When its row was deleted. Milliseconds since the epoch. */
  readonly deletedAt: number;
}

/**
 * Deletions that were recorded in the transaction that removed the rows. An object is destroyed later, once it is
 * certain that no copy of the database still has the row.
 */
export interface DeletionRepository {
  /** The oldest of them. */
  list(limit: number): Promise<readonly Deletion[]>;
  /** Forgets what was destroyed. */
  forget(deletions: readonly Deletion[]): Promise<void>;
}
