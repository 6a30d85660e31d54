import type { Uuid } from '../ids.ts';

export interface StorageMark {
  /** null while a restore hasn't read the id yet. */
  readonly library: Uuid | null;
  /** Counted by programs without a fence. */
  readonly generation: number;
  /** Absent until the first change. */
  readonly fence?: string;
  readonly movedTo?: string;
  /** When an unfinished restore was started. */
  readonly restoring: number | null;
}

const IS_NO_MARK = 'is not the mark of a library: "postshelf storage adopt" writes a new one.';

export class UnreadableMark extends Error {
  override readonly name = 'UnreadableMark';

  /**
   * @param place its path, for people
   * @param problem what is wrong with it, and what to do
   */
  constructor(place: string, options?: { readonly cause: unknown }, problem = IS_NO_MARK) {
    super(`What is at ${place} ${problem}`, options);
  }
}

/**
 * One mark beside the objects, which no list shows.
 *
 * @throws Refusal `unavailable`
 */
export interface StorageMarker {
  /** null when there is none. @throws UnreadableMark */
  read(): Promise<StorageMark | null>;
  /**
   * Atomic and durable; false if there is one, readable or not. Without conditional writes the last caller wins, so who
   * got true reads it again.
   */
  create(mark: StorageMark): Promise<boolean>;
  /** Atomic and durable. */
  write(mark: StorageMark): Promise<void>;
  /**
   * Atomic and durable; false, and nothing written, if the mark isn't `from`. Without conditional writes the last
   * caller of a moment wins.
   */
  swap(from: StorageMark, to: StorageMark): Promise<boolean>;
}
