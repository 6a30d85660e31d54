import type { Job, JobKind } from '@postshelf/domain';

/** What a handler's work on jobs may need of the runner. */
export interface JobContext {
  /** Of the lease under which the jobs are. */
  readonly owner: string;
  /** Aborted when the process stops, or the lease was lost: as after a job's item was deleted. */
  readonly signal: AbortSignal;
  /** Renews the lease right before a write that another owner would notice. False: it was lost. */
  renew(): Promise<boolean>;
  /** Whether no request is answered that jobs of the kind give way to. */
  isQuiet(): boolean;
}

/**
 * What came of a job. `outcome` is for logs and metrics: a word of the feature, or `later` for a job that wasn't tried.
 *
 * `done`: the job has ended with the rows of its feature, or what it was for is gone.
 * `again`: it is put back for `after` milliseconds. `attempts`: failures so far, if it has failed; `isStarted`: whether this
 * time counts among its {@link Job.claims}. `fault`: as if the work on this job alone had thrown.
 */
export type JobEnd = {
  readonly outcome: string;
  readonly cause?: unknown;
  /** Further fields of its log line. */
  readonly details?: Readonly<Record<string, unknown>>;
} & (
  | { readonly next: 'done' }
  | { readonly next: 'again'; readonly after: number; readonly attempts?: number; readonly isStarted?: boolean }
  | { readonly next: 'fault' }
);

/** The work of a feature on its jobs. */
export interface JobHandler<Kind extends JobKind> {
  readonly kind: Kind;
  /**
   * Works on jobs of one workspace, at most as many as a batch of the kind.
   *
   * @returns an end for each, in their order
   * @throws what isn't foreseen: each is then tried again as the kind's rules say
   */
  run(jobs: readonly Job<Kind>[], context: JobContext): Promise<readonly JobEnd[]>;
  /** Ends a job that has been tried, or interrupted, too often. By default it is kept as failed, for operators. */
  readonly giveUp?: (job: Job<Kind>, context: JobContext) => Promise<JobEnd>;
}

export const done = (outcome: string, cause?: unknown): JobEnd => ({
  next: 'done',
  outcome,
  ...(cause !== undefined && { cause }),
});

/** Not tried, because no slot was free, or the process stops. @param after milliseconds */
export const later = (after: number): JobEnd => ({ next: 'again', outcome: 'later', after });

/** Not foreseen, while others of the batch may end otherwise. */
export const fault = (cause: unknown): JobEnd => ({ next: 'fault', outcome: 'fault', cause });

/** A handler that works on jobs one by one. */
export const oneByOne =
  <Kind extends JobKind>(run: (job: Job<Kind>, context: JobContext) => Promise<JobEnd>): JobHandler<Kind>['run'] =>
  async (jobs, context) => {
    const ends: JobEnd[] = [];
    for (const job of jobs) ends.push(await run(job, context));
    return ends;
  };
