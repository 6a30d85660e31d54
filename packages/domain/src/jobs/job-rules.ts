import { backOff } from '../back-off.ts';
import type { WorkKind } from '../fair-share/work-kinds.ts';
import type { JobKind } from './job.ts';

/** How jobs of a kind are claimed and retried. Times are in milliseconds. */
export interface JobRules {
  /**
   * How long a killed process keeps its job before another process may take it over. The owner renews the lease three
   * times in this time.
   */
  readonly leaseTime: number;
  /**
   * The kind of work whose slots these jobs take; null if they take none, and a process works on one of them at a time.
   */
  readonly work: WorkKind | null;
  /** Number of jobs of one workspace that are claimed together. */
  readonly batch: number;
  /** Which job of a workspace is claimed first: the one that became due first (`oldest`) or last (`newest`). */
  readonly order: 'oldest' | 'newest';
  /** Maximum number of jobs of a workspace; more are refused. null for any number. */
  readonly max: number | null;
  /** Maximum time for which jobs are put off while requests are being answered; 0 if they aren't put off. */
  readonly patience: number;
  /**
   * Delays before the retries after faults of this service: the first delay follows the first fault, and so on. If
   * there are more faults than delays, the job fails.
   */
  readonly faultDelays: readonly number[];
}

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

const doubling = (first: number, longest: number, times: number): readonly number[] =>
  Array.from({ length: times }, (_, index) => backOff(index + 1, { first, longest }));

const DEFAULTS: JobRules = {
  leaseTime: 30 * SECOND,
  work: null,
  batch: 1,
  order: 'oldest',
  max: null,
  patience: 0,
  faultDelays: [],
};

export const JOB_RULES: { readonly [Kind in JobKind]: JobRules } = {
  import: { ...DEFAULTS, work: 'imports', faultDelays: doubling(5 * SECOND, 10 * MINUTE, 10) },
  // The number is limited because each fit may take many minutes.
  fit: { ...DEFAULTS, work: 'fits', max: 100, faultDelays: [5 * SECOND, MINUTE, 10 * MINUTE] },
  // The job takes a slot only while ffmpeg runs, as a request that makes a cover does.
  cover: { ...DEFAULTS, patience: MINUTE, faultDelays: [MINUTE, 10 * MINUTE, HOUR, 6 * HOUR] },
  // One child process decodes a batch, because starting it costs as much as decoding a photo.
  preview: {
    ...DEFAULTS,
    work: 'previews',
    batch: 8,
    order: 'newest',
    patience: Number.POSITIVE_INFINITY,
    faultDelays: [MINUTE, 10 * MINUTE, HOUR, 6 * HOUR],
  },
  // A job sends one delivery, and then waits behind the jobs of the workspace's other webhooks.
  delivery: { ...DEFAULTS, work: 'deliveries' },
  check: { ...DEFAULTS, leaseTime: MINUTE },
  removal: { ...DEFAULTS, leaseTime: 10 * SECOND },
};

/**
 * @param retryDelays milliseconds before the retries after failures of the remote server. The delays after faults of
 *   this service are derived from the first of them.
 */
export const importRules = ([first = 5 * SECOND]: readonly number[]): JobRules => ({
  ...JOB_RULES.import,
  faultDelays: doubling(first, 10 * MINUTE, 10),
});

/**
 * Returns how long a job waits after a fault.
 *
 * @param claims how often the job was started, at least 1
 * @returns milliseconds; null if the job has failed. Kinds without delays are retried every minute forever.
 */
export function pauseAfterFault({ faultDelays }: JobRules, claims: number): number | null {
  return faultDelays.length === 0 ? MINUTE : (faultDelays[claims - 1] ?? null);
}

/** Milliseconds between the runs of a job during an outage: twice as many each time, up to `longest`. */
const OUTAGE_PAUSES = { first: MINUTE, longest: 10 * MINUTE };

/** After this many runs, a bit more than a day, an outage counts as a fault: it may be caused by the job itself. */
const MAX_OUTAGE_RUNS = 150;

/**
 * Returns how long a job waits whose run has failed in an outage of the storage.
 *
 * @param attempts how often it has failed before
 * @returns milliseconds; null if the outage counts as a fault now
 */
export const pauseInOutage = (attempts: number): number | null =>
  attempts < MAX_OUTAGE_RUNS ? backOff(attempts + 1, OUTAGE_PAUSES) : null;

/**
 * Whether a job that was started this many times, including now, may be worked on. Kinds without delays have no limit.
 */
export const mayBeClaimedAgain = ({ faultDelays }: JobRules, claims: number): boolean =>
  faultDelays.length === 0 || claims <= faultDelays.length + 1;

/** Maximum length of a reason in characters. */
const MAX_REASON = 300;

/** Returns why a job is retried or has failed, for operators, without the parts of URLs that may hold secrets. */
export function describeCause(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return text
    .replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/?#]*@)?([^\s/?#]+)\S*/gi, '$1$2/…')
    .replaceAll(/\s+/g, ' ')
    .slice(0, MAX_REASON);
}
