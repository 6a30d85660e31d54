/** An exclusive right to work on something, with its end in milliseconds since the epoch. */
export interface Lease {
  readonly owner: string;
  readonly until: number;
}

/**
 * Milliseconds from now within which every lease ends: twice the longest lease, because clocks differ. A lease that
 * ends later was taken by a clock that has been set back since, and doesn't count.
 */
export const FARTHEST_END = 140_000;

/** Whether an owner may take or renew a lease: no other owner holds it, or that owner's lease has ended. */
export const mayTakeLease = (held: Lease | null, owner: string, now: number): boolean =>
  held === null || held.owner === owner || held.until <= now || held.until > now + FARTHEST_END;
