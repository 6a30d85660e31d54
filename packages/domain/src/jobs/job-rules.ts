import { backOff } from '../back-off.ts';
import type { WorkKind } from '../fair-share/work-kinds.ts';
import type { JobKind } from './job.ts';

/** How jobs of a kind are claimed and tried again. Times are milliseconds. */
export interface JobRules {
  /** Until another process may take over the job of one that was killed. Its owner renews it three times as often. */
  readonly leaseTime: number;
  /** Whose slots its jobs take in a process; null: one job at a time. */
  readonly work: WorkKind | null;
  /** Jobs of one workspace that are claimed together. */
  readonly batch: number;
  /** Which job of a workspace comes first: that which has been due longest, or shortest. */
  readonly order: 'oldest' | 'newest';
  /** Jobs of a workspace; more are refused. null: any number. */
  readonly most: number | null;
  /** Jobs wait so long for a moment in which no request is answered; 0: they don't wait. */
  readonly patience: number;
  /** After the first fault of this service, the second and so on; after one more the handler gives up the job. */
  readonly faultDelays: readonly number[];
}

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

const doubling = (first: number, longest: number, times: number): readonly number[] =>
  Array.from({ length: times }, (_, index) => backOff(index + 1, { first, longest }));

export const JOB_RULES: { readonly [Kind in JobKind]: JobRules } = {
  import: {
    leaseTime: 30 * SECOND,
    work: 'imports',
    batch: 1,
    order: 'oldest',
    most: null,
    patience: 0,
    faultDelays: doubling(5 * SECOND, 10 * MINUTE, 10),
  },
  fit: {
    leaseTime: 30 * SECOND,
    work: 'fits',
    batch: 1,
    order: 'oldest',
    // Each is minutes of work at worst.
    most: 100,
    patience: 0,
    faultDelays: [5 * SECOND, MINUTE, 10 * MINUTE],
  },
  // It has a slot only while ffmpeg runs, as those of requests do.
  cover: {
    leaseTime: 30 * SECOND,
    work: null,
    batch: 1,
    order: 'oldest',
    most: null,
    patience: MINUTE,
    faultDelays: [MINUTE, 10 * MINUTE, HOUR, 6 * HOUR],
  },
  // One child process decodes a batch, as its start costs as much as a photo.
  preview: {
    leaseTime: 30 * SECOND,
    work: 'previews',
    batch: 8,
    order: 'newest',
    most: null,
    patience: Number.POSITIVE_INFINITY,
    faultDelays: [MINUTE, 10 * MINUTE, HOUR, 6 * HOUR],
  },
  // A job sends one delivery, and then waits behind those of the workspace's other webhooks.
  delivery: {
    leaseTime: 30 * SECOND,
    work: 'deliveries',
    batch: 1,
    order: 'oldest',
    most: null,
    patience: 0,
    faultDelays: [],
  },
  check: {
    leaseTime: MINUTE,
    work: null,
    batch: 1,
    order: 'oldest',
    most: null,
    patience: 0,
    faultDelays: [],
  },
  removal: {
    leaseTime: 10 * SECOND,
    work: null,
    batch: 1,
    order: 'oldest',
    most: null,
    patience: 0,
    faultDelays: [],
  },
};

/** @param retryDelays milliseconds between tries of the other server; faults of this one wait for multiples of the first */
export const importRules = ([first = 5 * SECOND]: readonly number[]): JobRules => ({
  ...JOB_RULES.import,
  faultDelays: doubling(first, 10 * MINUTE, 10),
});

/**
 * How long a job waits after a fault.
 *
 * @param claims how often it was begun, at least 1
 * @returns milliseconds; null: it is given up. Kinds without delays are tried again after a minute, for ever.
 */
export function pauseAfterFault({ faultDelays }: JobRules, claims: number): number | null {
  return faultDelays.length === 0 ? MINUTE : (faultDelays[claims - 1] ?? null);
}

/** Whether a job may be worked on that was begun so often, this time included. Kinds without delays always may. */
export const mayBeClaimedAgain = ({ faultDelays }: JobRules, claims: number): boolean =>
  faultDelays.length === 0 || claims <= faultDelays.length + 1;

/** Characters. */
const MAX_REASON = 300;

/** Why a job is tried again or has failed, for operators: without what addresses may hold, as secrets do. */
export function describeCause(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return text
    .replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/?#]*@)?([^\s/?#]+)\S*/gi, '$1$2/…')
    .replaceAll(/\s+/g, ' ')
    .slice(0, MAX_REASON);
}
