import { leaseOwner, processOfOwner, type Uuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/**
 * Milliseconds after a kill until a confirmation on another host may begin anew. Well below the time that one waits for another.
 */
const LEASE_TIME = 15_000;

/** How often a lease is prolonged within its time, so that one look at the database may go wrong. */
const RENEWALS = 3;

/** A confirmation's hold on its upload. */
export interface UploadLease {
  /** Who the repository knows as the holder. */
  readonly owner: string;
  /** Prolongs it; false when it is lost, also when it ended before the answer came: somebody may have confirmed since. */
  renew(): Promise<boolean>;
}

/**
 * Works under the lease of an upload, which is prolonged for as long as that takes: publishing 2 GB is two copies within
 * a store that may need minutes for each.
 *
 * @param leaseTime milliseconds
 * @returns null, and nothing was done, when somebody else holds the lease or there is no such upload (any more)
 */
export async function withUploadLease<T>(
  ports: Pick<Ports, 'presign' | 'clock' | 'ids' | 'processes'>,
  id: Uuid,
  work: (lease: UploadLease) => Promise<T>,
  leaseTime: number = LEASE_TIME,
): Promise<{ readonly result: T } | null> {
  const owner = leaseOwner(ports.processes, `confirmation ${ports.ids.next()}`);
  const renew = async (): Promise<boolean> => {
    const now = ports.clock.now();
    const until = now + leaseTime;
    return (await ports.presign.claim(id, { owner, until }, now)) && ports.clock.now() < until;
  };
  if (!(await renew()) && !((await releaseDeadHolder(ports, id)) && (await renew()))) return null;
  const stopRenewing = renewEvery(leaseTime / RENEWALS, renew);
  try {
    return { result: await work({ owner, renew }) };
  } finally {
    // A renewal that is still on its way would take the lease again after it was given back.
    await stopRenewing();
    await ports.presign.release(id, owner);
  }
}

/** Gives back the lease of a holder whose process is known to be dead; false, and nothing is done, for any other. */
async function releaseDeadHolder(
  { presign, processes }: Pick<Ports, 'presign' | 'processes'>,
  id: Uuid,
): Promise<boolean> {
  const holder = await presign.holder(id);
  if (holder === null || !(await processes.isDead(processOfOwner(holder)))) return false;
  await presign.release(id, holder);
  return true;
}

/**
 * Renews now and then. What comes of it doesn't matter here: whoever works asks before each step that another holder
 * could feel, and a renewal that failed is tried again.
 */
function renewEvery(interval: number, renewOnce: () => Promise<unknown>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout>;
  let isStopped = false;
  const schedule = (): void => {
    timer = setTimeout(() => {
      running = Promise.allSettled([renewOnce()]).then(() => {
        if (!isStopped) schedule();
      });
    }, interval);
  };
  schedule();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}
