import type { Uuid } from '../ids.ts';
import type { Lease } from '../lease.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { AnyJob, Job, JobKey, JobKind } from './job.ts';
import type { JobRules } from './job-rules.ts';

export interface JobClaim<Kind extends JobKind> {
  readonly kind: Kind;
  readonly rules: Pick<JobRules, 'batch' | 'order'>;
  readonly now: number;
  readonly lease: Lease;
  /** Leased jobs of one workspace, of all processes together; null: any number. */
  readonly perWorkspace: number | null;
  /** Workspaces whose jobs are skipped. */
  readonly without: readonly Uuid[];
}

/** A new job is free from `dueAt` on, or under a lease. */
export type JobStart = { readonly dueAt: number } | { readonly lease: Lease };

/** What becomes of a job that stays in the queue. */
export interface JobRelease {
  readonly dueAt: number;
  readonly attempts: number;
  readonly claims: number;
  /** Why it is tried again, for operators. By default as before. */
  readonly reason?: string | null;
}

export interface JobFigures {
  /** Not under a lease, due or not. */
  readonly waiting: number;
  /** Under a lease. */
  readonly running: number;
  /** Of both, those that an earlier try or an interruption has left. */
  readonly retried: number;
  /** Given up, and kept for operators. */
  readonly failed: number;
  /** When the oldest that hasn't failed was added; null: there is none. */
  readonly oldest: number | null;
  /** When the one that has waited longest became due, or its lease ends; may be in the future. */
  readonly longestDue: number | null;
}

/**
 * The jobs of all kinds. A job is added in the transaction that makes it necessary (by the repository of its feature), and
 * ends in the one that stores what came of it. In between it is free, or under a lease that its owner renews.
 *
 * Workspaces take turns, in each kind: the one whose jobs were claimed longest ago comes next. So a workspace with thousands
 * of jobs delays another's by one job at most. The cost of a claim doesn't grow with the jobs, nor with the workspaces.
 */
export interface JobQueue {
  /** The kinds of which something may be due. */
  due(now: number): Promise<readonly JobKind[]>;
  /**
   * Of one workspace, up to {@link JobRules.batch}, in the order in which they were added or its reverse, by
   * {@link JobRules.order}; of concurrent calls one gets a job. Empty: nothing is due.
   */
  claim<Kind extends JobKind>(request: JobClaim<Kind>): Promise<readonly Job<Kind>[]>;
  /** Those that the owner (still) holds. */
  renew(kind: JobKind, subjectIds: readonly Uuid[], lease: Lease): Promise<ReadonlySet<Uuid>>;
  /** Ends the lease. False, and nothing changed, if the owner doesn't hold it. */
  release(key: JobKey, owner: string, next: JobRelease): Promise<boolean>;
  /** Ends a job of which nothing else is to be stored. False if the owner doesn't hold it. */
  complete(key: JobKey, owner: string): Promise<boolean>;
  /** Keeps a job that was given up, for operators. False if the owner doesn't hold it. */
  fail(key: JobKey, owner: string, reason: string): Promise<boolean>;
  figures(): Promise<ReadonlyMap<JobKind, JobFigures>>;
  /** By kind, and within it those that have been there longest first. */
  list(filter: JobFilter, slice: Slice): Promise<Rows<ListedJob>>;
  find(key: JobKey): Promise<ListedJob | null>;
  /**
   * Makes a waiting job due at once; one that has failed begins anew. Nothing changes for one under a lease.
   *
   * @returns the job as it is now; null if there is none
   */
  retry(key: JobKey, now: number, complete?: (job: ListedJob) => RepeatCompletion): Promise<ListedJob | null>;
  /** Leases a job to a new owner, even while another works on it, who then loses it. null: there is none. */
  takeOver(key: JobKey, lease: Lease): Promise<AnyJob | null>;
}

export const JOB_STATES = ['waiting', 'running', 'failed'] as const;

export type JobState = (typeof JOB_STATES)[number];

/** All conditions hold. */
export interface JobFilter {
  readonly kind?: JobKind;
  readonly state?: JobState;
  readonly workspaceId?: Uuid;
}

export interface ListedJob extends JobKey {
  readonly state: JobState;
  readonly workspaceId: Uuid | null;
  readonly addedAt: number;
  /** When it may be claimed, or its lease ends; null: never. */
  readonly dueAt: number | null;
  readonly attempts: number;
  readonly claims: number;
  readonly reason: string | null;
}
