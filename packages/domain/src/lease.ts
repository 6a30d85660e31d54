/** Who works on something, and until when no other owner may. Times in milliseconds since the epoch. */
export interface Lease {
  /** One per process and run. */
  readonly owner: string;
  readonly until: number;
}

/**
 * Whether an owner may take a lease, or prolong its own: nobody else holds it, or did and has let it run out.
 *
 * @param held the present lease; null when there is none
 */
export const mayTakeLease = (held: Lease | null, owner: string, now: number): boolean =>
  held === null || held.owner === owner || held.until <= now;

/** Processes of this program, on this host and on others that share its library, by names that they go by. */
export interface Processes {
  /** The name of this process: no other one, on whatever host and at whatever time, has it. Without spaces. */
  readonly own: string;
  /**
   * Whether the process of that name is known to be dead, and so will never come back. False says nothing: those of other
   * hosts and containers aren't seen, and a text that is no such name tells nothing.
   */
  isDead(name: string): Promise<boolean>;
}

/**
 * The owner of a lease, whose process others can ask after.
 *
 * @param rest distinguishes it from other owners within the process
 */
export const leaseOwner = ({ own }: Pick<Processes, 'own'>, rest: string): string => `${own} ${rest}`;

/** The name of an owner's process. */
export const processOfOwner = (owner: string): string => owner.split(' ', 1)[0] ?? '';
