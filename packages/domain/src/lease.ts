/** An exclusive right to work on something, with its end in milliseconds since the epoch. */
export interface Lease {
  readonly owner: string;
  readonly until: number;
}

/**
 * Maximum number of milliseconds until a lease ends: twice the longest lease, because clocks differ. A lease with a
 * later end doesn't count: a clock must have been set back since the lease was taken.
 */
export const FARTHEST_END = 140_000;

/** Whether an owner may take or renew a lease: no other owner holds it, or that owner's lease has ended. */
export const mayTakeLease = (held: Lease | null, owner: string, now: number): boolean =>
  held === null || held.owner === owner || held.until <= now || held.until > now + FARTHEST_END;
