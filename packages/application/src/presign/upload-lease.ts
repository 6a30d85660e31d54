import type { Uuid } from '@postshelf/domain';
import { keepRenewing } from '../keep-renewing.ts';
import type { Ports } from '../ports.ts';

/**
 * Milliseconds until another caller may confirm an upload if the process that is confirming it is killed. This is well
 * below the time for which {@link confirmUpload} waits for another caller.
 */
const LEASE_TIME = 15_000;

/** The lease of an upload that is being confirmed. */
export interface UploadLease {
  readonly owner: string;
  /** Returns false if the lease was lost, or expired before the database answered. */
  renew(): Promise<boolean>;
}

/**
 * Runs `work` under the lease of an upload. The lease is renewed until the work ends, because publishing 2 GB may take
 * minutes.
 *
 * @param leaseTime milliseconds
 * @returns null, without doing anything, if another owner holds the lease or the upload doesn't exist
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
    // A renewal in progress would take the lease again after its release.
    await stopRenewing();
    await ports.presign.release(id, owner);
  }
}
