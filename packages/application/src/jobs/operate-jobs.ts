import {
  fail,
  invalid,
  JOB_KINDS,
  type JobFilter,
  type JobKey,
  type JobKind,
  type Lease,
  type ListedJob,
  notFound,
  type PageRequest,
  type ProcessingMedia,
  parseUuid,
  type Rows,
  sliceOf,
} from '@postshelf/domain';
import type { Completing } from '../idempotency/answer-once.ts';
import type { Ports } from '../ports.ts';

/**
 * Length of the lease under which a job is cancelled, in milliseconds. If the process is killed before it has ended the
 * job, the job isn't cancelled, and can be claimed again after this time.
 */
const CANCELLING_TIME = 30_000;

const CANCELLED = 'An operator cancelled it.';

/** Returns a job's id as operators see and write it: `import:019e7b1c-52a1-7d3a-a0de-1b3f9ad2c111`. */
export const jobIdOf = ({ kind, subjectId }: JobKey): string => `${kind}:${subjectId}`;

/** Reads a job's id; null if it isn't one. */
function keyOf(id: string): JobKey | null {
  const [, kind, subject = ''] = /^([a-z]+):(.+)$/.exec(id) ?? [];
  const subjectId = parseUuid(subject);
  const known = JOB_KINDS.find((one): one is JobKind => one === kind);
  return known && subjectId ? { kind: known, subjectId } : null;
}

export const listJobs = (
  { jobs }: Pick<Ports, 'jobs'>,
  filter: JobFilter,
  page: PageRequest,
): Promise<Rows<ListedJob>> => jobs.list(filter, sliceOf(page));

/** Finds the job that an operator's path names. @throws Refusal `not_found` for a malformed or unknown id */
export async function findJob({ jobs }: Pick<Ports, 'jobs'>, id: string): Promise<ListedJob> {
  const key = keyOf(id);
  const job = key && (await jobs.find(key));
  if (!job) throw notFound();
  return job;
}

/**
 * Retries a waiting job immediately, and restarts a failed one. If the job is a webhook's, all waiting deliveries of
 * the webhook become due.
 *
 * @throws Refusal `invalid` on `job` while it is running; `not_found` if it has ended meanwhile
 */
export async function retryJob(
  { jobs, deliveries, clock }: Pick<Ports, 'jobs' | 'deliveries' | 'clock'>,
  job: ListedJob,
  complete?: Completing<ListedJob>,
): Promise<ListedJob> {
  const isHastened = job.kind === 'delivery' && job.state !== 'running';
  // The waiting deliveries become due first, because otherwise the job would find nothing to send.
  if (isHastened) await deliveries.hasten(job.subjectId, clock.now());
  const retried = await jobs.retry(job, clock.now(), complete);
  // A worker may have started already, and may even have sent everything, so a missing job isn't an error.
  if (isHastened) return retried ?? job;
  if (retried === null) throw notFound();
  if (retried.state === 'running') throw invalid('job', 'The job is running.');
  return retried;
}

type CancelPorts = Pick<Ports, 'jobs' | 'processing' | 'media' | 'previews' | 'clock' | 'ids'>;

/**
 * Ends a job for good, even while it is running: the item of an import or a fit fails, a video gets no cover, and
 * previews are made on request.
 *
 * @throws Refusal `invalid` on `job` for kinds that can't be cancelled; `not_found` if it has ended meanwhile
 */
export async function cancelJob(ports: CancelPorts, { kind, subjectId }: ListedJob): Promise<void> {
  if (kind === 'delivery') throw invalid('job', 'Disable or delete the webhook instead.');
  if (kind === 'check' || kind === 'removal') throw invalid('job', 'A job of this kind cannot be cancelled.');
  const lease: Lease = { owner: ports.ids.next(), until: ports.clock.now() + CANCELLING_TIME };
  const taken = await ports.jobs.takeOver({ kind, subjectId }, lease);
  if (!taken || !(await end(ports, { kind, subjectId }, lease.owner))) throw notFound();
}

async function end(
  ports: CancelPorts,
  { kind, subjectId }: JobKey<'import' | 'fit' | 'cover' | 'preview'>,
  owner: string,
): Promise<boolean> {
  if (kind === 'cover') return ports.media.finishCover(subjectId, owner, null);
  if (kind === 'preview') return ports.jobs.complete({ kind, subjectId }, owner);
  const failed = (item: ProcessingMedia) => ({ item: fail(item, CANCELLED, ports.clock.now()), cover: null });
  return ports.processing.finish({ kind, subjectId }, owner, failed);
}
