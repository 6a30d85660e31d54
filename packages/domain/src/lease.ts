/** Who may work on something alone, and until when (milliseconds since the epoch). */
export interface Lease {
  readonly owner: string;
  readonly until: number;
}

/** Whether an owner may take or renew a lease: no other holds it, or the other's has expired. */
export const mayTakeLease = (held: Lease | null, owner: string, now: number): boolean =>
  held === null || held.owner === owner || held.until <= now;
