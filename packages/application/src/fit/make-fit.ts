import {
  FIT_FAILURES,
  type FitAttempt,
  type FitJob,
  type FitPlan,
  fail,
  findTarget,
  isFitGivenUp,
  isUsable,
  judgeFitted,
  type MediaContent,
  type ProcessingMedia,
  planFit,
  type Target,
} from '@postshelf/domain';
import { sourceOf } from '../objects/read-stored.ts';
import type { Ports, Shared } from '../ports.ts';
import { makeActive } from '../uploads/finish.ts';
import { type InspectPorts, isReceived, type ReceivedFile } from '../uploads/inspect.ts';
import { receive } from '../uploads/receive.ts';

export type MakePorts = Pick<
  Ports,
  'fitQueue' | 'fitter' | 'media' | 'duplicates' | 'trash' | 'digest' | 'covers' | 'clock' | 'ids'
> &
  Pick<Shared, 'shares'> &
  InspectPorts;

export interface ClaimedFit {
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
export async function makeFit(
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
    const making = {
      item,
      mayHaveLeftOver: job.claims > 1,
      onDuplicate: 'keep' as const,
      renewLease: () => held.renew(),
      finish: (decide: Parameters<MakePorts['fitQueue']['finish']>[2]) =>
        ports.fitQueue.finish(job.mediaId, held.owner, decide),
    };
    const done = await makeActive(ports, making, made);
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
): Promise<ReceivedFile | { readonly reason: string } | 'aborted'> {
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
): Promise<ReceivedFile | { readonly isTooLarge: boolean; readonly reason: string | null } | 'aborted'> {
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
  const file = await receive(ports, null, encoded.body(), { limit: plan.maxBytes });
  if (!isReceived(file)) return { isTooLarge: false, reason: FIT_FAILURES.unreadable };
  const verdict = judgeFitted(target, file.content);
  const isLast = attempt === plan.attempts.at(-1);
  if (verdict.kind === 'fits' || (verdict.kind === 'too_large' && verdict.isUsable && isLast)) return file;
  await file.object.discard();
  return { isTooLarge: verdict.kind === 'too_large', reason: verdict.reason };
}

async function end(
  { fitQueue, clock }: MakePorts,
  { mediaId }: FitJob,
  held: ClaimedFit,
  reason: string,
): Promise<'failed' | 'gone'> {
  const decide = (item: ProcessingMedia) => ({ item: fail(item, reason, clock.now()), cover: null });
  return (await fitQueue.finish(mediaId, held.owner, decide)) ? 'failed' : 'gone';
}
