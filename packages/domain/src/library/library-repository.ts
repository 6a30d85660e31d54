import type { Uuid } from '../ids.ts';

export interface Library {
  readonly id: Uuid;
  /** When the library was created; all its objects are newer. */
  readonly createdAt: number;
  /**
   * A count that releases without a fence use: if a database has a lower count than the storage's mark, it is an older
   * copy.
   */
  readonly generation: number;
  /**
   * When the library was restored or its storage was adopted. null otherwise, and once an operator has agreed to purge
   * objects without a row.
   */
  readonly restoredAt: number | null;
  readonly storageMarkedAt: number | null;
  readonly secretFingerprint: string | null;
  /** The time of the data in the last complete backup. */
  readonly backedUpAt: number | null;
  /** When the last `verify` without a problem started. */
  readonly verifiedAt: number | null;
}

/** Absent fields stay unchanged. */
export type LibraryChange = Partial<
  Pick<Library, 'restoredAt' | 'storageMarkedAt' | 'secretFingerprint' | 'backedUpAt' | 'verifiedAt'>
>;

export interface LibraryRepository {
  find(): Promise<Library | null>;
  /**
   * Returns the library, and creates it if there is none; only one of several concurrent callers does. A new library's
   * `createdAt` is the time at which the first workspace was created, or `now` if there is no workspace.
   */
  findOrCreate(id: Uuid, now: number): Promise<Library>;
  update(change: LibraryChange): Promise<Library>;
  /** Stores the fingerprint unless there already is one. Returns the stored fingerprint. */
  claimSecret(fingerprint: string): Promise<string>;
}
