/**
 * Port: the space of a disk that may still be used. Bytes that one part of the process has reserved aren't free for its
 * other parts. Methods throw Refusal `unavailable` if the disk's state can't be read.
 */
export interface FreeSpace {
  /** Bytes free on the disk, the reserve included. */
  free(): Promise<number>;
  /** Whether this many more bytes may be written. */
  has(bytes: number): Promise<boolean>;
  /**
   * Reserves bytes that are about to be written.
   *
   * @returns a function that ends the reservation, to be called when they are written or won't be; repeated calls do
   *   nothing
   * @throws Refusal `storage_low`
   */
  reserve(bytes: number): Promise<() => void>;
}
