/**
 * What one part of the process has reserved isn't free for others.
 *
 * @throws Refusal `unavailable` if the disk's state can't be read
 */
export interface FreeSpace {
  /** The reserve included. */
  free(): Promise<number>;
  /** Whether so many more may be written. */
  has(bytes: number): Promise<boolean>;
  /**
   * @returns ends the reservation, to be called when the bytes are written or won't be; repeated calls do nothing
   * @throws Refusal `storage_low`
   */
  reserve(bytes: number): Promise<() => void>;
}
