const MIB = 1024 * 1024;

/**
 * The purpose of a write to a disk, which decides how much of the reserve has to stay free:
 * - `content` may be any amount (files, posts): all of the reserve;
 * - `rows` are small and few per request (folders, tokens, the row of an import): a small part of it;
 * - `upkeep` keeps the service working and frees space (deletions, leases, revocations): none of it.
 */
export type WritePurpose = 'content' | 'rows' | 'upkeep';

/** The part of the reserve that `rows` leave free: a sixteenth, at most 64 MiB. */
const LAST_RESERVE = { share: 16, most: 64 * MIB } as const;

/** Bytes that must be free after a write. @param reserve bytes that the operator wants to keep free */
export function reserveFor(purpose: WritePurpose, reserve: number): number {
  if (purpose === 'upkeep') return 0;
  return purpose === 'content' ? reserve : Math.min(Math.floor(reserve / LAST_RESERVE.share), LAST_RESERVE.most);
}

/**
 * Port: the space of a disk that may still be used. Bytes that one part of the process has reserved aren't free for its
 * other parts. Methods throw Refusal `unavailable` if the disk's state can't be read.
 */
export interface FreeSpace {
  /** Bytes free on the disk, the reserve included. */
  free(): Promise<number>;
  /** Whether this many more bytes of content may be written. */
  has(bytes: number): Promise<boolean>;
  /**
   * Reserves bytes for content that is about to be written.
   *
   * @returns a function that ends the reservation, to be called when they are written or won't be; repeated calls do
   *   nothing
   * @throws Refusal `storage_low`
   */
  reserve(bytes: number): Promise<() => void>;
  /**
   * Checks synchronously whether this many bytes may be written, for a disk of this machine.
   *
   * @throws Refusal `storage_low`
   */
  require(purpose: WritePurpose, bytes: number): void;
}
