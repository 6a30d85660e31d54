import type { Uuid } from '../ids.ts';

/** What a storage says of the library that its objects belong to. */
export interface StorageMark {
  /** null while a restore that never came to know the library's id has not finished. */
  readonly library: Uuid | null;
  /** Of the last collection of garbage ({@link Library.generation}). */
  readonly generation: number;
  /** Since when a restore into the storage is under way, or was killed; null when there is none. Milliseconds. */
  readonly restoring: number | null;
}

const IS_NO_MARK = 'is no mark of a library: "postshelf storage adopt" writes one anew.';

/** Something stands where the mark belongs, and is none, or may not be read. */
export class UnreadableMark extends Error {
  override readonly name = 'UnreadableMark';

  /**
   * @param place where it stands, for people
   * @param problem what is wrong with it, and what to do
   */
  constructor(place: string, options?: { readonly cause: unknown }, problem = IS_NO_MARK) {
    super(`What stands at ${place} ${problem}`, options);
  }
}

/**
 * The one mark of a storage, beside its objects, which {@link ObjectStorage.list} doesn't show. Both methods throw
 * `Refusal` `unavailable` when the storage is out of reach or full.
 */
export interface StorageMarker {
  /** null where there is none, also where the whole storage isn't there. @throws UnreadableMark */
  read(): Promise<StorageMark | null>;
  /** Writes the mark, or over the one that is there: whole or not at all, and durably. The storage must be there. */
  write(mark: StorageMark): Promise<void>;
}
