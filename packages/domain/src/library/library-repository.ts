import type { Uuid } from '../ids.ts';

export interface Library {
  readonly id: Uuid;
  /** All its objects are newer. */
  readonly createdAt: number;
  /** For programs without a fence: a database behind a mark is an older copy. */
  readonly generation: number;
  /** null once an operator consented to remove objects without a row. */
  readonly restoredAt: number | null;
  readonly storageMarkedAt: number | null;
  readonly secretFingerprint: string | null;
}

/** Absent fields stay. */
export type LibraryChange = Partial<Pick<Library, 'restoredAt' | 'storageMarkedAt' | 'secretFingerprint'>>;

export interface LibraryRepository {
  find(): Promise<Library | null>;
  /** Of concurrent callers one creates it. `createdAt` is that of the first workspace, or `now`. */
  findOrCreate(id: Uuid, now: number): Promise<Library>;
  update(change: LibraryChange): Promise<Library>;
  /** Stores the fingerprint unless there is one, and returns the stored one. */
  claimSecret(fingerprint: string): Promise<string>;
}
