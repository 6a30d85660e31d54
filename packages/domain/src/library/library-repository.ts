import type { Uuid } from '../ids.ts';

/** The library that a database belongs to: its rows are here, its objects in one storage. */
export interface Library {
  readonly id: Uuid;
  /** All objects of the library are newer. Milliseconds since the epoch. */
  readonly createdAt: number;
  /**
   * A counter of garbage collections, which programs from before there was a fence keep in the database and in the
   * storage's mark. A database that is behind a mark without a fence is an older copy.
   */
  readonly generation: number;
  /**
   * When the database was found to be restored from a backup; null once an operator consented to remove objects without
   * a row.
   */
  readonly restoredAt: number | null;
  /** When the library's id was written to its storage; null until then. */
  readonly storageMarkedAt: number | null;
  /** Fingerprint of the secret that signs tokens; null until one was used. */
  readonly secretFingerprint: string | null;
}

/** Absent fields stay. */
export type LibraryChange = Partial<Pick<Library, 'restoredAt' | 'storageMarkedAt' | 'secretFingerprint'>>;

/** The one library of a database. */
export interface LibraryRepository {
  /** null until {@link findOrCreate} was called. */
  find(): Promise<Library | null>;
  /**
   * Returns the library, and creates it with this id if there is none; of concurrent callers one creates it.
   * `createdAt` is that of the first workspace if there are any, otherwise `now`.
   */
  findOrCreate(id: Uuid, now: number): Promise<Library>;
  /** Applies the change. Throws when there is no library. */
  update(change: LibraryChange): Promise<Library>;
  /**
   * Stores the fingerprint unless there is one, and returns the stored one. Throws when there is no library.
   */
  claimSecret(fingerprint: string): Promise<string>;
}
