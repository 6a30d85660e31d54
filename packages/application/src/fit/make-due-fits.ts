import {
  FIT_FAILURES,
  type FitAttempt,
  type FitJob,
  type FitPlan,
  findTarget,
  isFitGivenUp,
  isUsable,
  judgeFitted,
  type Lease,
  type MediaContent,
  planFit,
  retryFitAfter,
  type Target,
} from '@postshelf/domain';
import { keepRenewing } from '../keep-renewing.ts';
import { sourceOf } from '../objects/read-stored.ts';
import type { Ports } from '../ports.ts';
import { type InspectedFile, type InspectPorts, inspect, isInspected } from '../uploads/inspect.ts';
import { type MakeActivePorts, makeActive } from '../uploads/make-items.ts';
import { receive } from '../uploads/receive.ts';
import { recordFailure } from '../uploads/record.ts';
import type { PendingUpload } from '../uploads/store.ts';

type MakePorts = Pick<Ports, 'fitQueue' | 'fitter'> & MakeActivePorts & InspectPorts;

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
async function afterFault(ports: MakePorts, job: FitJob, owner: string, cause: unknown): Promise<Omit<DueFit, 'job'>> {
  const { mediaId, claims } = job;
  const delay = retryFitAfter(claims);
  if (delay === null) return { outcome: await end(ports, job, { owner }, FIT_FAILURES.interrupted), cause };
  await ports.fitQueue.release(mediaId, owner, { freeAt: ports.clock.now() + delay, claims });
  return { outcome: 'fault', cause };
}

interface ClaimedFit {
  readonly owner: string;
  renew(): Promise<boolean>;
  /** Aborted when the lease was lost or the worker stops. */
  readonly signal: AbortSignal;
  readonly onProgress: (percent: number) => void;
}

/**
 * Makes the file of a job: tries the attempts of its plan until a result keeps the target's rules, else the item fails.
 * Failures that may pass are thrown.
 */
async function makeFit(
  ports: MakePorts,
  job: FitJob,
  held: ClaimedFit,
): Promise<'made' | 'failed' | 'gone' | 'aborted'> {
  const found = await ports.media.find(job.mediaId);
  if (found?.item.status !== 'processing') return 'gone';
  const { item } = found;
  // The job has killed its worker again and again.
  if (isFitGivenUp(job.claims)) return end(ports, job, held, FIT_FAILURES.interrupted);
  const original = item.fittedFrom && (await ports.media.find(item.fittedFrom))?.item;
  if (!original || !isUsable(original)) return end(ports, job, held, FIT_FAILURES.gone);
  const target = findTarget(job.target);
  if (!target) return end(ports, job, held, FIT_FAILURES.no_target);
  const plan = planFit(target, original.content, job.how);
  if ('reason' in plan) return end(ports, job, held, plan.reason);
  if (!(await ports.fitter.isAvailable())) return end(ports, job, held, FIT_FAILURES.no_tool);
  const made = await tryAll(ports, original.fullName, { target, plan, content: original.content }, held).catch(
    async (error: unknown) => {
      // Not a fault if the original was deleted while it was read.
      if (await ports.media.find(original.id)) throw error;
      return { reason: FIT_FAILURES.gone };
    },
  );
  if (made === 'aborted') return made;
  if ('reason' in made) return end(ports, job, held, made.reason);
  try {
    const { claims } = job;
    const record = recordOf(ports, job, held);
    const pending = { kind: 'fit', item, claims, record, renewLease: () => held.renew() } as const;
    const done = await makeActive(ports, pending, made);
    if (done === 'full') return 'failed';
    return done ? 'made' : 'gone';
  } finally {
    await made.object.discard();
  }
}

interface Planned {
  readonly target: Target;
  readonly plan: FitPlan;
  readonly content: MediaContent;
}

async function tryAll(
  ports: MakePorts,
  fullName: string,
  planned: Planned,
  held: ClaimedFit,
): Promise<InspectedFile | { readonly reason: string } | 'aborted'> {
  let reason: string = FIT_FAILURES.too_large;
  const { attempts } = planned.plan;
  for (const attempt of attempts) {
    if (held.signal.aborted) return 'aborted';
    const made = await tryOne(ports, fullName, planned, attempt, held);
    if (made === 'aborted' || 'object' in made) return made;
    reason = made.reason ?? reason;
    if (!made.isTooLarge) return { reason };
  }
  return { reason };
}

/** @returns the file if it keeps the target's rules, else why it doesn't */
async function tryOne(
  ports: MakePorts,
  fullName: string,
  { target, plan, content }: Planned,
  attempt: FitAttempt,
  { signal, onProgress }: ClaimedFit,
): Promise<InspectedFile | { readonly isTooLarge: boolean; readonly reason: string | null } | 'aborted'> {
  const stored = await ports.storage.open(fullName);
  if (!stored) throw new Error(`The object ${fullName} is missing.`);
  const length = (content.time ?? 0) * 1000;
  const made = await ports.fitter.make(sourceOf(stored), {
    ...plan,
    attempt,
    signal,
    ...(length > 0 && { onProgress: (madeMs) => onProgress(Math.min(100, Math.round((100 * madeMs) / length))) }),
  });
  if (made === 'aborted') return made;
  if (made === 'too_large') return { isTooLarge: true, reason: null };
  if (typeof made === 'string') return { isTooLarge: false, reason: FIT_FAILURES[made] };
  await using encoded = made;
  if (encoded.size > plan.maxBytes) return { isTooLarge: true, reason: null };
  const file = await inspect(ports, null, await receive(ports, encoded.body(), { limit: plan.maxBytes }));
  if (!isInspected(file)) return { isTooLarge: false, reason: FIT_FAILURES.unreadable };
  const verdict = judgeFitted(target, file.content);
  const isLast = attempt === plan.attempts.at(-1);
  if (verdict.kind === 'fits' || (verdict.kind === 'too_large' && verdict.isUsable && isLast)) return file;
  await file.object.discard();
  return { isTooLarge: verdict.kind === 'too_large', reason: verdict.reason };
}

type PendingFit = Extract<PendingUpload, { readonly kind: 'fit' }>;

const recordOf =
  ({ fitQueue }: MakePorts, { mediaId }: FitJob, { owner }: Pick<ClaimedFit, 'owner'>): PendingFit['record'] =>
  (decide) =>
    fitQueue.finish(mediaId, owner, decide);

async function end(
  ports: MakePorts,
  job: FitJob,
  held: Pick<ClaimedFit, 'owner'>,
  reason: string,
): Promise<'failed' | 'gone'> {
  return (await recordFailure(ports, { record: recordOf(ports, job, held) }, reason)) ? 'failed' : 'gone';
}
