/** The owner that may work on something exclusively, and until when. Times in milliseconds since the epoch. */
export interface Lease {
  /** One per process and run. */
  readonly owner: string;
  readonly until: number;
}

/**
 * Whether an owner may take a lease or renew its own: no other owner holds it, or the other's has expired.
 *
 * @param held the current lease; null if there is none
 */
export const mayTakeLease = (held: Lease | null, owner: string, now: number): boolean =>
  held === null || held.owner === owner || held.until <= now;
