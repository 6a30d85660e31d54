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
  /** What the last whole backup holds is of this time. */
  readonly backedUpAt: number | null;
  /** When the last `verify` that found no problem began. */
  readonly verifiedAt: number | null;
}

/** Absent fields stay. */
export type LibraryChange = Partial<
  Pick<Library, 'restoredAt' | 'storageMarkedAt' | 'secretFingerprint' | 'backedUpAt' | 'verifiedAt'>
>;

export interface LibraryRepository {
  find(): Promise<Library | null>;
  /** Of concurrent callers one creates it. `createdAt` is that of the first workspace, or `now`. */
  findOrCreate(id: Uuid, now: number): Promise<Library>;
  update(change: LibraryChange): Promise<Library>;
  /** Stores the fingerprint unless there is one, and returns the stored one. */
  claimSecret(fingerprint: string): Promise<string>;
}
