export const STORAGE_LOW = 'The storage is low on space and cannot accept more files.';

/**
 * The free space of a disk. Space that is reserved doesn't count as free.
 *
 * @throws Refusal `unavailable`
 */
export interface FreeSpace {
  /** Returns the free bytes, including those that are always left free. */
  free(): Promise<number>;
  has(bytes: number): Promise<boolean>;
  /**
   * @returns a function that ends the reservation, whether the bytes were written or not
   * @throws Refusal `storage_low`
   */
  reserve(bytes: number): Promise<() => void>;
}
