import type { Uuid } from '../ids.ts';

/** Which library a storage's objects belong to. */
export interface StorageMark {
  /** null while a restore hasn't read it yet. */
  readonly library: Uuid | null;
  /** Counted by programs without a fence ({@link Library.generation}). */
  readonly generation: number;
  /** Absent from marks of older programs, until the first change. */
  readonly fence?: string;
  /** The storage to which the objects were copied. */
  readonly movedTo?: string;
  /** When an unfinished restore into the storage was started. */
  readonly restoring: number | null;
}

const IS_NO_MARK = 'is no mark of a library: "postshelf storage adopt" writes one anew.';

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
 * One mark beside the objects, which {@link ObjectStorage.list} doesn't show. Methods throw `Refusal` `unavailable`
 * when the storage is out of reach or full.
 */
export interface StorageMarker {
  /** null when there is none. @throws UnreadableMark */
  read(): Promise<StorageMark | null>;
  /**
   * Writes the first mark, atomically and durably; false, and nothing written, if there is one, readable or not. In a
   * store without conditional writes the last caller wins, so who got true reads it again.
   */
  create(mark: StorageMark): Promise<boolean>;
  /** Atomic and durable. The storage must exist. */
  write(mark: StorageMark): Promise<void>;
  /**
   * Replaces `from`, atomically and durably; false, and nothing written, if there is another mark or none. A store
   * without conditional writes is read again: of callers at one moment the last wins.
   */
  swap(from: StorageMark, to: StorageMark): Promise<boolean>;
}
