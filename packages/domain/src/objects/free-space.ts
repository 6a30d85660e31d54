const MIB = 1024 * 1024;

/**
 * What is written to a disk, and so how much of it has to stay free:
 * - `content` comes in any amount (files, posts): all of the reserve;
 * - `rows` are small, and one request writes few of them (folders, tokens, the row of an import): the last of it;
 * - `upkeep` is what the service needs to go on and to get room again (deletions, leases, revocations): nothing.
 */
export type WritePurpose = 'content' | 'rows' | 'upkeep';

/** The part of the reserve that `rows` leave free: a sixteenth, at most 64 MiB. */
const LAST_RESERVE = { share: 16, most: 64 * MIB } as const;

/** Bytes that must be free after a write. @param reserve bytes that the operator wants to stay free */
export function reserveFor(purpose: WritePurpose, reserve: number): number {
  if (purpose === 'upkeep') return 0;
  return purpose === 'content' ? reserve : Math.min(Math.floor(reserve / LAST_RESERVE.share), LAST_RESERVE.most);
}

/**
 * Port: how much of a disk may still be written. Bytes that one part of a process has reserved aren't free for its other
 * parts. Methods throw Refusal `unavailable` when the disk can't be asked.
 */
export interface FreeSpace {
  /** Bytes free on the disk, the reserve included. */
  free(): Promise<number>;
  /** Whether so many more bytes of content may be written. */
  has(bytes: number): Promise<boolean>;
  /**
   * Sets bytes aside for content that is about to be written.
   *
   * @returns what ends that, once they are written or nobody will; a repeat does nothing
   * @throws Refusal `storage_low`
   */
  reserve(bytes: number): Promise<() => void>;
  /**
   * Checks synchronously whether so many bytes may be written, for a disk of this machine.
   *
   * @throws Refusal `storage_low`
   */
  require(purpose: WritePurpose, bytes: number): void;
}
