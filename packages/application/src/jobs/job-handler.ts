import { type Job, type JobKind, pauseInOutage, Refusal } from '@postshelf/domain';

/** The runner's services for a handler that works on jobs. */
export interface JobContext {
  /** The owner of the lease on the jobs. */
  readonly owner: string;
  /** Aborted when the process stops, or the lease was lost, for example after a job's item was deleted. */
  readonly signal: AbortSignal;
  /** Renews the lease right before a write that would disturb another owner. Returns false if the lease was lost. */
  renew(): Promise<boolean>;
  /** Whether the process is quiet: no request that takes precedence over jobs of low priority is being answered. */
  isQuiet(): boolean;
}

/**
 * The result of a job. `outcome` is for logs and metrics: a word that the feature defines, or `later` for a job that
 * wasn't tried.
 *
 * `done`: the job was removed when its feature's rows were written, or what it was for no longer exists. `again`: it is
 * put back for `after` milliseconds. `attempts` is the number of failures so far, if the job has failed; `isStarted`
 * says whether this run counts among its {@link Job.claims}. `fault`: the job is treated as if its own work had thrown.
 */
export type JobEnd = {
  readonly outcome: string;
  readonly cause?: unknown;
  /** Additional fields of the job's log line. */
  readonly details?: Readonly<Record<string, unknown>>;
} & (
  | { readonly next: 'done' }
  | { readonly next: 'again'; readonly after: number; readonly attempts?: number; readonly isStarted?: boolean }
  | { readonly next: 'fault' }
);

/** A feature's handler for its jobs. */
export interface JobHandler<Kind extends JobKind> {
  readonly kind: Kind;
  /**
   * Works on one batch of jobs, all of one workspace.
   *
   * @returns the end of each job, in order
   * @throws unexpected errors: each job is then retried as the rules of its kind say
   */
  run(jobs: readonly Job<Kind>[], context: JobContext): Promise<readonly JobEnd[]>;
  /**
   * Ends a job that has been tried or interrupted too often. By default it is marked as failed and kept for operators.
   */
  readonly giveUp?: (job: Job<Kind>, context: JobContext) => Promise<JobEnd>;
}

export const done = (outcome: string, cause?: unknown): JobEnd => ({
  next: 'done',
  outcome,
  ...(cause !== undefined && { cause }),
});

/**
 * Returns the end of a job that is put back without being tried, because no slot was free or the process stops.
 *
 * @param after milliseconds until the job is due again
 */
export const later = (after: number): JobEnd => ({ next: 'again', outcome: 'later', after });

/** Returns the end of a job that failed unexpectedly; other jobs of the batch may end differently. */
export const fault = (cause: unknown): JobEnd => ({ next: 'fault', outcome: 'fault', cause });

/**
 * Returns the end of a job that failed before it published anything. If the storage was unavailable or had no space, the
 * run doesn't count among the job's `claims`: an outage must not end the jobs that wait for the storage.
 */
export function faultOrOutage({ attempts }: Job, cause: unknown): JobEnd {
  const isOutage = cause instanceof Refusal && ['unavailable', 'storage_low'].includes(cause.problem.code);
  const after = isOutage ? pauseInOutage(attempts) : null;
  return after === null ? fault(cause) : { ...fault(cause), next: 'again', after, attempts: attempts + 1 };
}

/** Makes a handler's `run` that works on jobs one by one. */
export const oneByOne =
  <Kind extends JobKind>(run: (job: Job<Kind>, context: JobContext) => Promise<JobEnd>): JobHandler<Kind>['run'] =>
  async (jobs, context) => {
    const ends: JobEnd[] = [];
    for (const job of jobs) ends.push(await run(job, context));
    return ends;
  };
