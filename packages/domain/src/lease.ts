/** Until milliseconds since the epoch. */
export interface Lease {
  readonly owner: string;
  readonly until: number;
}

/** No other holds it, or the other's has expired. */
export const mayTakeLease = (held: Lease | null, owner: string, now: number): boolean =>
  held === null || held.owner === owner || held.until <= now;
