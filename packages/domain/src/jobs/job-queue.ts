import type { IdempotencyCompletion } from '../idempotency/idempotency-repository.ts';
import type { Uuid } from '../ids.ts';
import type { Lease } from '../lease.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { AnyJob, Job, JobKey, JobKind } from './job.ts';
import type { JobRules } from './job-rules.ts';

export interface JobClaim<Kind extends JobKind> {
  readonly kind: Kind;
  readonly rules: Pick<JobRules, 'batch' | 'order'>;
  readonly now: number;
  readonly lease: Lease;
  /** Maximum number of leased jobs of one workspace, across all processes; null for any number. */
  readonly perWorkspace: number | null;
  /** Workspaces whose jobs are skipped. */
  readonly without: readonly Uuid[];
}

/** A new job is either free from `dueAt` on, or under a lease. */
export type JobStart = { readonly dueAt: number } | { readonly lease: Lease };

/** The new state of a job that stays in the queue. */
export interface JobRelease {
  readonly dueAt: number;
  readonly attempts: number;
  readonly claims: number;
  /** Why the job is tried again, for operators. By default, the reason stays unchanged. */
  readonly reason?: string | null;
}

export interface JobFigures {
  /** Number of jobs that aren't under a lease, due or not. */
  readonly waiting: number;
  /** Number of jobs under a lease. */
  readonly running: number;
  /** Number of waiting and running jobs that were started before, and then failed or were interrupted. */
  readonly retried: number;
  /** Number of failed jobs, which are kept for operators. */
  readonly failed: number;
  /** When the oldest job that hasn't failed was added; null if there is none. */
  readonly oldest: number | null;
  /** The earliest time at which a job becomes due or a lease ends; may be in the past or in the future. */
  readonly longestDue: number | null;
}

/**
 * The jobs of all kinds. A job is added in the transaction that makes it necessary (by the repository of its feature),
 * and ends in the transaction that stores its result. In between, the job is free, or under a lease that its owner
 * renews.
 *
 * Within each kind, workspaces take turns: the one whose jobs were claimed longest ago comes next. So a workspace with
 * thousands of jobs delays every other workspace by one job at most. The cost of a claim doesn't grow with the number
 * of jobs or workspaces.
 */
export interface JobQueue {
  /** Returns the kinds with jobs that may be due. */
  due(now: number): Promise<readonly JobKind[]>;
  /**
   * Claims jobs of one workspace, up to {@link JobRules.batch}, oldest or newest first, as {@link JobRules.order} says.
   * Each job is given to only one of several concurrent calls. Returns an empty list if nothing is due.
   */
  claim<Kind extends JobKind>(request: JobClaim<Kind>): Promise<readonly Job<Kind>[]>;
  /** Renews leases and returns the subjects of the jobs that the owner still holds. */
  renew(kind: JobKind, subjectIds: readonly Uuid[], lease: Lease): Promise<ReadonlySet<Uuid>>;
  /** Ends the lease and keeps the job. Returns false, and changes nothing, if the owner doesn't hold the lease. */
  release(key: JobKey, owner: string, next: JobRelease): Promise<boolean>;
  /** Ends a job that has no result to store. Returns false if the owner doesn't hold it. */
  complete(key: JobKey, owner: string): Promise<boolean>;
  /** Marks a job as failed and keeps it for operators. Returns false if the owner doesn't hold it. */
  fail(key: JobKey, owner: string, reason: string): Promise<boolean>;
  figures(): Promise<ReadonlyMap<JobKind, JobFigures>>;
  /** Lists jobs by kind, and within a kind the oldest first. */
  list(filter: JobFilter, slice: Slice): Promise<Rows<ListedJob>>;
  find(key: JobKey): Promise<ListedJob | null>;
  /**
   * Makes a waiting job due immediately; a failed one starts over. A job under a lease isn't changed.
   *
   * @returns the job as it is now; null if it doesn't exist
   */
  retry(key: JobKey, now: number, complete?: (job: ListedJob) => IdempotencyCompletion): Promise<ListedJob | null>;
  /**
   * Leases a job to a new owner. If another owner is working on the job, that owner loses it. Returns null if the job
   * doesn't exist.
   */
  takeOver(key: JobKey, lease: Lease): Promise<AnyJob | null>;
}

export const JOB_STATES = ['waiting', 'running', 'failed'] as const;

export type JobState = (typeof JOB_STATES)[number];

/** Jobs must meet all conditions. */
export interface JobFilter {
  readonly kind?: JobKind;
  readonly state?: JobState;
  readonly workspaceId?: Uuid;
}

export interface ListedJob extends JobKey {
  readonly state: JobState;
  readonly workspaceId: Uuid | null;
  readonly addedAt: number;
  /** When the job may be claimed, or when its lease ends; null if it will never be claimed. */
  readonly dueAt: number | null;
  readonly attempts: number;
  readonly claims: number;
  readonly reason: string | null;
}
