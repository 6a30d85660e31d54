import {
  FIT_FAILURES,
  type FitAttempt,
  type FitPlan,
  type FocalPoint,
  findTarget,
  isUsable,
  type Job,
  judgeFitted,
  type MediaContent,
  planFit,
  type Target,
} from '@postshelf/domain';
import {
  done,
  faultOrOutage,
  type JobContext,
  type JobEnd,
  type JobHandler,
  later,
  oneByOne,
} from '../jobs/job-handler.ts';
import { sourceOf } from '../objects/read-stored.ts';
import type { Ports } from '../ports.ts';
import { type InspectedFile, type InspectPorts, inspect, isInspected } from '../uploads/inspect.ts';
import { type MakeActivePorts, makeActive } from '../uploads/make-items.ts';
import { receive } from '../uploads/receive.ts';
import { type PendingEnd, recordFailure } from '../uploads/record.ts';
import type { PendingUpload } from '../uploads/store.ts';

type FitPorts = Pick<Ports, 'processing' | 'fitter'> & MakeActivePorts & InspectPorts;

/** Receives the progress of a file. @param percent from 0 to 100 */
export type FitProgress = (job: Job<'fit'>, percent: number) => void;

/** Makes files that fit a target. Outcomes: `made`, `failed` (the item has the reason), `gone` (it was deleted). */
export const fitHandler = (ports: FitPorts, onProgress: FitProgress): JobHandler<'fit'> => ({
  kind: 'fit',
  run: oneByOne((job, context) => runFit(ports, job, context, (percent) => onProgress(job, percent))),
  giveUp: (job, { owner }) => end(ports, job, owner, FIT_FAILURES.interrupted),
});

/** The outcome of a job for each way in which its item's wait for the file can end. */
const OUTCOMES = { done: 'made', failed: 'failed', lost: 'gone' } as const satisfies Record<PendingEnd, string>;

/**
 * Makes the file of a job. Tries the attempts of the plan until a result satisfies the target's rules; if none does,
 * the item fails. Temporary failures are thrown.
 */
async function runFit(
  ports: FitPorts,
  job: Job<'fit'>,
  context: JobContext,
  onProgress: (percent: number) => void,
): Promise<JobEnd> {
  const { owner, signal, renew } = context;
  const { payload } = job;
  const found = await ports.media.find(job.subjectId);
  if (found?.item.status !== 'processing') return done('gone');
  const { item } = found;
  const original = item.fittedFrom && (await ports.media.find(item.fittedFrom))?.item;
  if (!original || !isUsable(original)) return end(ports, job, owner, FIT_FAILURES.gone);
  const target = findTarget(payload.target);
  if (!target) return end(ports, job, owner, FIT_FAILURES.no_target);
  const plan = planFit(target, original.content, payload.how, payload.crop ?? null);
  if ('reason' in plan) return end(ports, job, owner, plan.reason);
  if (!(await ports.fitter.isAvailable())) return end(ports, job, owner, FIT_FAILURES.no_tool);
  const made = await tryAll(
    ports,
    original.fullName,
    { target, plan, focus: payload.focus, content: original.content, onProgress },
    signal,
  ).catch(async (error: unknown) => {
    // It isn't a fault if the original was deleted while it was read.
    return (await ports.media.find(original.id)) ? faultOrOutage(job, error) : { reason: FIT_FAILURES.gone };
  });
  if (made !== 'aborted' && 'next' in made) return made;
  // The process is stopping, or the item was deleted.
  if (made === 'aborted') return (await ports.media.find(job.subjectId)) ? later(0) : done('gone');
  if ('reason' in made) return end(ports, job, owner, made.reason);
  try {
    const { claims } = job;
    const record = recordOf(ports, job, owner);
    const ended = await makeActive(ports, { kind: 'fit', item, claims, record, renewLease: renew }, made);
    return done(OUTCOMES[ended]);
  } catch (cause) {
    if (!signal.aborted) throw cause;
    // The file may have been published under the item's full name. `isStarted` counts this run in the job's `claims`,
    // so that the next run looks for that file.
    return { next: 'again', outcome: 'later', after: 0, isStarted: true };
  } finally {
    await made.object.discard();
  }
}

interface Planned {
  readonly target: Target;
  readonly plan: FitPlan;
  readonly focus: FocalPoint | undefined;
  readonly content: MediaContent;
  readonly onProgress: (percent: number) => void;
}

async function tryAll(
  ports: FitPorts,
  fullName: string,
  planned: Planned,
  signal: AbortSignal,
): Promise<InspectedFile | { readonly reason: string } | 'aborted'> {
  let reason: string = FIT_FAILURES.too_large;
  const { attempts } = planned.plan;
  for (const attempt of attempts) {
    if (signal.aborted) return 'aborted';
    const made = await tryOne(ports, fullName, planned, attempt, signal);
    if (made === 'aborted' || 'object' in made) return made;
    reason = made.reason ?? reason;
    if (!made.isTooLarge) return { reason };
  }
  return { reason };
}

/** @returns the file if it satisfies the target's rules, otherwise why it doesn't */
async function tryOne(
  ports: FitPorts,
  fullName: string,
  { target, plan, focus, content, onProgress }: Planned,
  attempt: FitAttempt,
  signal: AbortSignal,
): Promise<InspectedFile | { readonly isTooLarge: boolean; readonly reason: string | null } | 'aborted'> {
  const stored = await ports.storage.open(fullName);
  if (!stored) throw new Error(`The object ${fullName} is missing.`);
  const length = (content.time ?? 0) * 1000;
  const made = await ports.fitter.make(sourceOf(stored), {
    ...plan,
    focus,
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
  ({ processing }: FitPorts, { subjectId }: Job<'fit'>, owner: string): PendingFit['record'] =>
  (decide) =>
    processing.finish({ kind: 'fit', subjectId }, owner, decide);

async function end(ports: FitPorts, job: Job<'fit'>, owner: string, reason: string): Promise<JobEnd> {
  return done((await recordFailure(ports, { record: recordOf(ports, job, owner) }, reason)) ? 'failed' : 'gone');
}
