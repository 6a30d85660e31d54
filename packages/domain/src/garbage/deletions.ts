import type { Uuid } from '../ids.ts';

/** An object, or a file sent to an upload address, that is to be destroyed, as its row is gone. */
export interface Deletion {
  readonly id: Uuid;
  /** null for an upload. */
  readonly fullName: string | null;
  readonly deletedAt: number;
}

/** Recorded in the transaction that removes the rows, and destroyed once no copy of the database can have them. */
export interface DeletionRepository {
  list(limit: number): Promise<readonly Deletion[]>;
  forget(deletions: readonly Deletion[]): Promise<void>;
}
