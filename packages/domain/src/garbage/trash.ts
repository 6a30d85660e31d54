/** An object in the trash. There may be several of the same key, moved there at different times. */
export interface TrashedObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** The time given to {@link Trash.setAside}. Milliseconds since the epoch. */
  readonly setAsideAt: number;
}

/**
 * The result of restoring an object. `object_there`: the key is taken; the existing object and the one in the trash stay.
 * `not_in_trash`: the trash has nothing of that key and time (any more).
 */
export type TrashRestoreOutcome = 'brought_back' | 'object_there' | 'not_in_trash';

/**
 * Keeps objects for a while before they are removed for good. {@link ObjectStorage} neither lists nor opens them. Keys
 * that aren't valid object keys are refused. Any number of processes may use it concurrently; if one is killed, the
 * object is under its key, in the trash, or in both. Methods throw `Refusal` `unavailable` when the storage is out of
 * reach or full.
 */
export interface Trash {
  /**
   * Moves the object from its key to the trash, durably.
   *
   * @param at the time to store it under, whole milliseconds since the epoch; the same for all of one collection
   * @returns false when there is no such object (any more)
   */
  setAside(key: string, at: number): Promise<boolean>;
  /** Everything in the trash, the latest first. Objects moved or removed meanwhile may or may not be included. */
  list(): AsyncIterable<TrashedObject>;
  /** Moves an object back to its key, durably, and never over another one. */
  restore(object: Pick<TrashedObject, 'key' | 'setAsideAt'>): Promise<TrashRestoreOutcome>;
  /** Removes an object in the trash for good. Does nothing if there is none of that key and time. */
  remove(object: Pick<TrashedObject, 'key' | 'setAsideAt'>): Promise<void>;
  /**
   * Removes for good what was moved to the trash before the time.
   *
   * @param before milliseconds since the epoch
   * @param onFreed called with the bytes of each object
   * @returns how many objects were removed
   */
  empty(before: number, onFreed?: (bytes: number) => void): Promise<number>;
}
