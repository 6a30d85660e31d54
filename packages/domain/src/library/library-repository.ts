import type { Uuid } from '../ids.ts';

/** Its rows are in this database, its objects in one storage. */
export interface Library {
  readonly id: Uuid;
  /** All objects of the library are newer. */
  readonly createdAt: number;
  /** Counts garbage collections for programs without a fence: a database behind a mark without one is an older copy. */
  readonly generation: number;
  /** When a restore from a backup was found; null once an operator consented to remove objects without a row. */
  readonly restoredAt: number | null;
  /** When the library's id was written to its storage. */
  readonly storageMarkedAt: number | null;
  /** Of the secret that signs tokens; null until one was used. */
  readonly secretFingerprint: string | null;
}

/** Absent fields stay. */
export type LibraryChange = Partial<Pick<Library, 'restoredAt' | 'storageMarkedAt' | 'secretFingerprint'>>;

export interface LibraryRepository {
  /** null until {@link findOrCreate} was called. */
  find(): Promise<Library | null>;
  /**
   * Creates the library if there is none, also for concurrent callers once. `createdAt` is that of the first workspace,
   * or `now`.
   */
  findOrCreate(id: Uuid, now: number): Promise<Library>;
  /** Throws when there is no library. */
  update(change: LibraryChange): Promise<Library>;
  /** Stores the fingerprint unless there is one, and returns the stored one. Throws when there is no library. */
  claimSecret(fingerprint: string): Promise<string>;
}
