/** Who may work on something alone, and until when (milliseconds since the epoch). */
export interface Lease {
  readonly owner: string;
  readonly until: number;
}

/**
 * Milliseconds from now within which every lease ends: twice those of the longest, as clocks differ. One that ends later was
 * taken by a clock that has been set back since, and nobody waits for that.
 */
export const FARTHEST_END = 140_000;

/** Whether an owner may take or renew a lease: no other holds it, or the other's is over. */
export const mayTakeLease = (held: Lease | null, owner: string, now: number): boolean =>
  held === null || held.owner === owner || held.until <= now || held.until > now + FARTHEST_END;
