import type { Uuid } from '../ids.ts';

/** An object, or a file sent to an upload address, whose row is gone and which is to be destroyed. */
export interface Deletion {
  readonly id: Uuid;
  /** null for an upload, which is found by its id. */
  readonly fullName: string | null;
  /** When its row was. Milliseconds since the epoch. */
  readonly deletedAt: number;
}

/**
 * Recorded in the transaction that removes the rows. An object is destroyed once no copy of the database can have its
 * row.
 */
export interface DeletionRepository {
  list(limit: number): Promise<readonly Deletion[]>;
  /** Of what was destroyed. */
  forget(deletions: readonly Deletion[]): Promise<void>;
}
