import type { Uuid } from '../ids.ts';

/** A storage's record of the library that its objects belong to. */
export interface StorageMark {
  /** null during a restore, or after a killed one, that hadn't read the library's id yet. */
  readonly library: Uuid | null;
  /** Generation of the last garbage collection ({@link Library.generation}). */
  readonly generation: number;
  /** When the unfinished restore into the storage was started; null when there is none. Milliseconds since the epoch. */
  readonly restoring: number | null;
}

const IS_NO_MARK = 'is no mark of a library: "postshelf storage adopt" writes one anew.';

/** The file in the mark's place is no mark, or can't be read. */
export class UnreadableMark extends Error {
  override readonly name = 'UnreadableMark';

  /**
   * @param place where it is, for people
   * @param problem what is wrong with it, and what to do
   */
  constructor(place: string, options?: { readonly cause: unknown }, problem = IS_NO_MARK) {
    super(`What stands at ${place} ${problem}`, options);
  }
}

/**
 * The one mark of a storage, beside its objects, which {@link ObjectStorage.list} doesn't show. All methods throw
 * `Refusal` `unavailable` when the storage is out of reach or full.
 */
export interface StorageMarker {
  /** null when there is none, also when the storage doesn't exist. @throws UnreadableMark */
  read(): Promise<StorageMark | null>;
  /**
   * Writes the first mark of a storage, atomically and durably, which must exist. Of several that do so at once one gets
   * true; false, and nothing is written, where there is a mark, a readable one or not. A store that knows no such condition
   * lets the last one win, so a caller that got true reads it again.
   */
  create(mark: StorageMark): Promise<boolean>;
  /** Writes or overwrites the mark, atomically and durably. The storage must exist. */
  write(mark: StorageMark): Promise<void>;
}
