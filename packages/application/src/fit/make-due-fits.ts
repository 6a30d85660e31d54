import { FIT_FAILURES, type FitJob, fail, type Lease, retryFitAfter } from '@postshelf/domain';
import { keepRenewing } from '../keep-renewing.ts';
import { type MakePorts, makeFit } from './make-fit.ts';

/** Milliseconds. */
const LEASE_TIME = 30_000;

const BUSY_TIME = 1000;

/**
 * `failed`: the item has the reason; `gone`: it was deleted; `later`: no slot was free, or the worker stops; `fault`:
 * an error, after which the job is tried again.
 */
export interface DueFit {
  readonly job: FitJob;
  readonly outcome: 'made' | 'failed' | 'gone' | 'later' | 'fault';
  readonly cause?: unknown;
}

export interface FitObserver {
  onEnd(ended: DueFit): void;
  onProgress(job: FitJob, percent: number): void;
}

/**
 * Does the jobs that are due, until none is left or no slot is free; workspaces take turns.
 *
 * @param signal stops the current job and puts it back
 * @param leaseTime milliseconds
 */
export async function makeDueFits(
  ports: MakePorts,
  signal: AbortSignal,
  observer: FitObserver,
  leaseTime: number = LEASE_TIME,
): Promise<void> {
  while (!signal.aborted) {
    const without = ports.shares.workspacesAtLimit('fits');
    if (without === null) return;
    const owner = ports.ids.next();
    const lease = (): Lease => ({ owner, until: ports.clock.now() + leaseTime });
    const job = await ports.fitQueue.claim({ now: ports.clock.now(), lease: lease(), without });
    if (job === null) return;
    const releaseSlot = ports.shares.tryTake('fits', job.workspaceId);
    try {
      const ended =
        releaseSlot === null
          ? ({ outcome: 'later' } as const)
          : await work(ports, job, { lease, leaseTime }, signal, observer);
      if (ended.outcome === 'later') {
        const freeAt = ports.clock.now() + (signal.aborted ? 0 : BUSY_TIME);
        await ports.fitQueue.release(job.mediaId, owner, { freeAt, claims: job.claims - 1 });
      }
      observer.onEnd({ job, ...ended });
    } finally {
      releaseSlot?.();
    }
  }
}

/** Does a job, and renews its lease meanwhile. Stops when the lease is lost, as when the item was deleted. */
async function work(
  ports: MakePorts,
  job: FitJob,
  { lease, leaseTime }: { readonly lease: () => Lease; readonly leaseTime: number },
  stopping: AbortSignal,
  observer: FitObserver,
): Promise<Omit<DueFit, 'job'>> {
  const lost = new AbortController();
  const renew = async (): Promise<boolean> => {
    const renewed = lease();
    const isHeld = await ports.fitQueue.renew(job.mediaId, renewed);
    if (!isHeld) lost.abort();
    return isHeld && ports.clock.now() < renewed.until;
  };
  const stopRenewing = keepRenewing(leaseTime, renew);
  try {
    const { owner } = lease();
    const ended = await makeFit(ports, job, {
      owner,
      renew,
      signal: AbortSignal.any([stopping, lost.signal]),
      onProgress: (percent) => observer.onProgress(job, percent),
    });
    if (ended !== 'aborted') return { outcome: ended };
    return { outcome: lost.signal.aborted ? 'gone' : 'later' };
  } catch (cause) {
    if (stopping.aborted) return { outcome: 'later' };
    return await afterFault(ports, job, lease().owner, cause);
  } finally {
    await stopRenewing();
  }
}

/** Or fails its item when the tries are used up. */
async function afterFault(
  { fitQueue, clock }: MakePorts,
  { mediaId, claims }: FitJob,
  owner: string,
  cause: unknown,
): Promise<Omit<DueFit, 'job'>> {
  const delay = retryFitAfter(claims);
  if (delay !== null) {
    await fitQueue.release(mediaId, owner, { freeAt: clock.now() + delay, claims });
    return { outcome: 'fault', cause };
  }
  const decide = (item: Parameters<typeof fail>[0]) => ({
    item: fail(item, FIT_FAILURES.interrupted, clock.now()),
    cover: null,
  });
  return { outcome: (await fitQueue.finish(mediaId, owner, decide)) ? 'failed' : 'gone', cause };
}
