import type { Uuid } from '@postshelf/domain';
import { keepRenewing } from '../keep-renewing.ts';
import type { Ports } from '../ports.ts';

/**
 * Milliseconds after a process was killed until another may start its confirmation again. Well below the time that
 * {@link confirmUpload} waits for another caller.
 */
const LEASE_TIME = 15_000;

/** The lease of an upload that is being confirmed. */
export interface UploadLease {
  /** The owner, as the repository stores it. */
  readonly owner: string;
  /**
   * Renews the lease. False when it was lost, or expired before the database answered: another owner may have taken it
   * since.
   */
  renew(): Promise<boolean>;
}

/**
 * Runs `work` while holding the lease of an upload, and renews the lease until `work` ends: a store copies 2 GB twice
 * to publish them, which may take minutes each time.
 *
 * @param leaseTime milliseconds
 * @returns null, without doing anything, if somebody else holds the lease or the upload doesn't exist (any more)
 */
export async function withUploadLease<T>(
  ports: Pick<Ports, 'presign' | 'clock' | 'ids'>,
  id: Uuid,
  work: (lease: UploadLease) => Promise<T>,
  leaseTime: number = LEASE_TIME,
): Promise<{ readonly result: T } | null> {
  const owner = ports.ids.next();
  const renew = async (): Promise<boolean> => {
    const now = ports.clock.now();
    const until = now + leaseTime;
    return (await ports.presign.claim(id, { owner, until }, now)) && ports.clock.now() < until;
  };
  if (!(await renew())) return null;
  const stopRenewing = keepRenewing(leaseTime, renew);
  try {
    return { result: await work({ owner, renew }) };
  } finally {
    // A renewal still in flight would take the lease again after its release.
    await stopRenewing();
    await ports.presign.release(id, owner);
  }
}
