import type { Uuid } from '../ids.ts';

/** An object, or a file sent to an upload address, that is to be destroyed, as its row is gone. */
export interface Deletion {
  readonly id: Uuid;
  /** null for an upload. */
  readonly fullName: string | null;
  readonly deletedAt: number;
}

/** Recorded when the rows are removed, and destroyed once no copy of the database can have them. */
export interface DeletionRepository {
  /** The oldest first. @param after one that the list begins behind; absent: with the oldest of all */
  list(limit: number, after?: Deletion): Promise<readonly Deletion[]>;
  /** @returns how many were not recorded before */
  record(deletions: readonly Deletion[]): Promise<number>;
  forget(deletions: readonly Deletion[]): Promise<void>;
}
