/** Who works on something, and until when no other owner may. Times in milliseconds since the epoch. */
export interface Lease {
  /** One per process and run. */
  readonly owner: string;
  readonly until: number;
}

/**
 * Whether an owner may take a lease, or prolong its own: nobody else holds it, or did and has let it run out.
 *
 * @param held the lease as it stands; null when nobody has taken it
 */
export const mayTakeLease = (held: Lease | null, owner: string, now: number): boolean =>
  held === null || held.owner === owner || held.until <= now;
