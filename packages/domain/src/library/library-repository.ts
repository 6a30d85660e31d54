import type { Uuid } from '../ids.ts';

/** What a database knows of the library that it belongs to: rows here, objects in one storage. */
export interface Library {
  readonly id: Uuid;
  /** Nothing of the library is older. Milliseconds since the epoch. */
  readonly createdAt: number;
  /**
   * Counts the collections of garbage over the database; the storage keeps the last one. A database that is behind its
   * storage is an older copy, whoever put it there.
   */
  readonly generation: number;
  /** Since when it is known that the rows are those of a backup, and nobody has said that the rest may go; else null. */
  readonly restoredAt: number | null;
  /** When the library's id was written to its storage; null until then. */
  readonly storageMarkedAt: number | null;
  /** Tells the secret that signs tokens from every other without telling it; null until one was used. */
  readonly secretFingerprint: string | null;
}

/** What is absent stays. */
export type LibraryChange = Partial<Pick<Library, 'restoredAt' | 'storageMarkedAt' | 'secretFingerprint'>>;

/** The one library of a database. */
export interface LibraryRepository {
  /** null until {@link findOrCreate} was called. */
  find(): Promise<Library | null>;
  /**
   * The library, made under this id unless there is one; of several callers at once one makes it. It is born with its
   * first workspace where it has workspaces already, else now.
   */
  findOrCreate(id: Uuid, now: number): Promise<Library>;
  /** Applies the change. Throws when there is no library. */
  update(change: LibraryChange): Promise<Library>;
  /**
   * Raises the generation by one, and above `atLeast`. Throws when there is no library.
   *
   * @returns the new one, which nobody else gets
   */
  advanceGeneration(atLeast: number): Promise<number>;
  /**
   * Keeps the fingerprint unless there is one, and answers the one that there is. Throws when there is no library.
   */
  claimSecret(fingerprint: string): Promise<string>;
}
