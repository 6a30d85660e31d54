/** Days for which an object stays in the trash, unless the operator sets another number. */
export const DEFAULT_TRASH_DAYS = 7;

/**
 * Minimum milliseconds that an object stays in the trash, because a process with a copy of the database may have moved
 * it there. Within this time, the process with the original changes the fence, so that the copy is recognised.
 */
const MIN_TRASH_AGE = 2 * 60 * 1000;

/** Returns a time. Objects that were moved to the trash before it are purged. */
export const trashEnd = (now: number, trashAge: number): number => now - Math.max(trashAge, MIN_TRASH_AGE);

/**
 * An object in the trash. The trash may contain several objects with the same key, which were moved at different times.
 */
export interface TrashedObject {
  readonly key: string;
  readonly size: number;
  /** The time given to {@link Trash.add}, in milliseconds since the epoch. */
  readonly trashedAt: number;
}

/**
 * `object_there`: the key is taken; both objects stay. `not_in_trash`: nothing with that key and time is in the trash
 * (any more).
 */
export type TrashRestoreOutcome = 'restored' | 'object_there' | 'not_in_trash';

/**
 * Keeps objects for a while before they are purged. If a process is killed while it moves an object, the object is
 * under its key, in the trash, or in both places. Methods throw `Refusal` `unavailable` if the storage is unreachable
 * or full.
 */
export interface Trash {
  /**
   * Moves an object to the trash, durably.
   *
   * @param at whole milliseconds since the epoch; the same for all objects of one collection
   * @returns false if the object doesn't exist (any more)
   */
  add(key: string, at: number): Promise<boolean>;
  /** Lists objects, the most recently trashed first. */
  list(): AsyncIterable<TrashedObject>;
  /** Restores an object durably, never replacing another one. */
  restore(object: Pick<TrashedObject, 'key' | 'trashedAt'>): Promise<TrashRestoreOutcome>;
  /** Purges an object; does nothing if there is none with that key and time. */
  purge(object: Pick<TrashedObject, 'key' | 'trashedAt'>): Promise<void>;
  /**
   * Purges the objects that were moved to the trash before a time.
   *
   * @param before milliseconds since the epoch
   * @param onFreed called with the size of each object in bytes
   * @returns how many objects were purged
   */
  purgeBefore(before: number, onFreed?: (bytes: number) => void): Promise<number>;
}
