import type { Uuid } from '../ids.ts';

/** An object, or a file sent to an upload URL, that is to be purged, because its row no longer exists. */
export interface Deletion {
  readonly id: Uuid;
  /** The key of the object; null for an upload. */
  readonly fullName: string | null;
  readonly deletedAt: number;
}

/**
 * Deletions are recorded when the rows are removed; the objects are purged once no copy of the database can refer to
 * them.
 */
export interface DeletionRepository {
  /**
   * Lists deletions, oldest first.
   *
   * @param after the deletion after which the list starts; absent to start with the oldest
   */
  list(limit: number, after?: Deletion): Promise<readonly Deletion[]>;
  /** @returns how many hadn't been recorded before */
  record(deletions: readonly Deletion[]): Promise<number>;
  /** Removes deletions whose objects have been purged. */
  remove(deletions: readonly Deletion[]): Promise<void>;
}
