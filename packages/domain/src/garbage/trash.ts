/** There may be several of one key, moved at different times. */
export interface TrashedObject {
  readonly key: string;
  readonly size: number;
  /** As given to {@link Trash.add}; milliseconds since the epoch. */
  readonly trashedAt: number;
}

/** `object_there`: the key is taken; both objects stay. `not_in_trash`: nothing of that key and time (any more). */
export type TrashRestoreOutcome = 'restored' | 'object_there' | 'not_in_trash';

/**
 * Keeps objects for a while before they are removed for good. If a process is killed, an object is under its key, in
 * the trash, or in both. Methods throw `Refusal` `unavailable` when the storage is out of reach or full.
 */
export interface Trash {
  /**
   * Durable.
   *
   * @param at whole milliseconds since the epoch; the same for all of one collection
   * @returns false when there is no such object (any more)
   */
  add(key: string, at: number): Promise<boolean>;
  /** The latest first. */
  list(): AsyncIterable<TrashedObject>;
  /** Durable, and never over another object. */
  restore(object: Pick<TrashedObject, 'key' | 'trashedAt'>): Promise<TrashRestoreOutcome>;
  /** Does nothing if there is none of that key and time. */
  remove(object: Pick<TrashedObject, 'key' | 'trashedAt'>): Promise<void>;
  /**
   * What was moved to the trash before the time.
   *
   * @param before milliseconds since the epoch
   * @param onFreed called with the bytes of each object
   * @returns how many objects were removed
   */
  empty(before: number, onFreed?: (bytes: number) => void): Promise<number>;
}
