/** An object that lies in the trash. Its key may lie there more than once, set aside at different times. */
export interface TrashedObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** As {@link Trash.setAside} was told. Milliseconds since the epoch. */
  readonly setAsideAt: number;
}

/**
 * What came of bringing an object back. `object_there`: an object has the key already; it stays as it is, and so does
 * what lies in the trash. `not_in_trash`: nothing lies there under that key and time (any more).
 */
export type TrashRestoreOutcome = 'brought_back' | 'object_there' | 'not_in_trash';

/**
 * Where objects wait before they are removed for good, beside those of {@link ObjectStorage}, which neither lists nor
 * opens what lies here. Keys are those of objects, refused and never touched where they are none. Any number of processes
 * may work on it at once; one that is killed in between leaves the object under its key, in the trash, or in both. Methods
 * throw `Refusal` `unavailable` when the storage is out of reach or full.
 */
export interface Trash {
  /**
   * Takes the object away from its key and keeps it in the trash, durably.
   *
   * @param at milliseconds since the epoch, whole: the time to keep it under; the same for all of one collection
   * @returns false when there is no such object (any more)
   */
  setAside(key: string, at: number): Promise<boolean>;
  /** Everything in the trash, what was set aside last first. What comes or goes meanwhile may be there or not. */
  list(): AsyncIterable<TrashedObject>;
  /** Puts an object back under its key, durably, and never over another one. */
  restore(object: Pick<TrashedObject, 'key' | 'setAsideAt'>): Promise<TrashRestoreOutcome>;
  /**
   * Removes for good what was set aside before the time.
   *
   * @param before milliseconds since the epoch
   * @param onFreed hears of the bytes of each object
   * @returns how many objects that were
   */
  empty(before: number, onFreed?: (bytes: number) => void): Promise<number>;
}
