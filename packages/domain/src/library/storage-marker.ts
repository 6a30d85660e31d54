import type { Uuid } from '../ids.ts';

/** A storage's record of the library that its objects belong to. */
export interface StorageMark {
  /** null while a restore, running or killed, hasn't read the library's id yet. */
  readonly library: Uuid | null;
  /** Counted by programs from before there was a fence ({@link Library.generation}). */
  readonly generation: number;
  /** The fence of the database that uses the storage; absent from marks of older programs, until the first change. */
  readonly fence?: string;
  /** The name of the storage to which the objects were copied; absent if they weren't. */
  readonly movedTo?: string;
  /** When the unfinished restore into the storage was started; null if there is none. Milliseconds since the epoch. */
  readonly restoring: number | null;
}

const IS_NO_MARK = 'is no mark of a library: "postshelf storage adopt" writes one anew.';

/** The file at the mark's path isn't a mark, or can't be read. */
export class UnreadableMark extends Error {
  override readonly name = 'UnreadableMark';

  /**
   * @param place its path, for people
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
   * Writes the first mark of an existing storage, atomically and durably. Of concurrent callers one gets true; false,
   * and nothing is written, if there is a mark, readable or not. In a store without conditional writes the last caller
   * wins, so a caller that got true has to read the mark again.
   */
  create(mark: StorageMark): Promise<boolean>;
  /** Writes or overwrites the mark, atomically and durably. The storage must exist. */
  write(mark: StorageMark): Promise<void>;
  /**
   * Replaces the mark `from` by `to`, atomically and durably; of concurrent callers one gets true. False, and nothing is
   * written, if there is another mark or none. A store without conditional writes is read again afterwards, and of
   * callers at the same moment the last one wins.
   */
  swap(from: StorageMark, to: StorageMark): Promise<boolean>;
}
