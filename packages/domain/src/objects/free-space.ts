export const STORAGE_LOW = 'The storage is low on space and cannot accept more files.';

/** What one part of the process has reserved isn't free for others. @throws Refusal `unavailable` */
export interface FreeSpace {
  /** The reserve included. */
  free(): Promise<number>;
  has(bytes: number): Promise<boolean>;
  /**
   * @returns ends the reservation, whether the bytes were written or not
   * @throws Refusal `storage_low`
   */
  reserve(bytes: number): Promise<() => void>;
}
