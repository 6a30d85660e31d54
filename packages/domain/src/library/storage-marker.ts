import type { Uuid } from '../ids.ts';

export interface StorageMark {
  /** The library's id; null until a restore has read it from the backup. */
  readonly library: Uuid | null;
  /** The count that older releases used instead of {@link fence}. */
  readonly generation: number;
  /** {@link Fence.current}; absent until the fence is changed for the first time. */
  readonly fence?: string;
  readonly movedTo?: string;
  /** When the unfinished restore was started; null if no restore is unfinished. */
  readonly restoring: number | null;
}

const IS_NO_MARK = 'is not the mark of a library: "postshelf storage adopt" writes a new one.';

export class UnreadableMark extends Error {
  override readonly name = 'UnreadableMark';

  /**
   * @param place the mark's path, for the message
   * @param problem what is wrong with it, and what to do
   */
  constructor(place: string, options?: { readonly cause: unknown }, problem = IS_NO_MARK) {
    super(`What is stored at ${place} ${problem}`, options);
  }
}

/**
 * Reads and writes the mark. It is stored next to the objects, but lists of objects don't contain it.
 *
 * @throws Refusal `unavailable`
 */
export interface StorageMarker {
  /** Returns null if there is no mark. @throws UnreadableMark */
  read(): Promise<StorageMark | null>;
  /**
   * Creates the mark atomically and durably. Returns false if there is one already, even if it is unreadable. If the
   * storage has no conditional writes, the last caller wins, so a caller that gets true must read the mark again.
   */
  create(mark: StorageMark): Promise<boolean>;
  /** Writes the mark atomically and durably. */
  write(mark: StorageMark): Promise<void>;
  /**
   * Replaces the mark atomically and durably. Returns false, and writes nothing, if the mark isn't `from`. If the
   * storage has no conditional writes, the last of several concurrent callers wins.
   */
  swap(from: StorageMark, to: StorageMark): Promise<boolean>;
}
