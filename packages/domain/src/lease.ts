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

/** The processes of this program, on this host and on others that share its library, identified by names. */
export interface Processes {
  /** The name of this process, without spaces: unique across hosts and time. */
  readonly own: string;
  /**
   * Whether the process of that name is known to be dead for good. False means that it isn't known: processes of other
   * hosts and containers can't be seen, and the text may be no such name.
   */
  isDead(name: string): Promise<boolean>;
}

/**
 * The owner of a lease, whose process can be checked by others ({@link Processes.isDead}).
 *
 * @param rest distinguishes it from other owners within the process
 */
export const leaseOwner = ({ own }: Pick<Processes, 'own'>, rest: string): string => `${own} ${rest}`;

/** The name of an owner's process. */
export const processOfOwner = (owner: string): string => owner.split(' ', 1)[0] ?? '';
