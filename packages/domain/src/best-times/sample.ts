import type { Uuid } from '../ids.ts';
import { HOURS_PER_WEEK, type LocalHours } from './local-hours.ts';

const HOUR = 60 * 60 * 1000;

/** Networks still count for some days, so younger posts look worse than they are. */
const YOUNGEST = 72 * HOUR;
const OLDEST = 365 * 24 * HOUR;

/** The newest ones: 1,000 permutations of them take some 15 ms. */
export const MAX_LEARNT_POSTS = 2000;

/** What estimates are learnt from. Planned posts, which lie ahead, never are. */
export const learntWindow = (now: number) => ({ from: now - OLDEST, to: now - YOUNGEST });

export interface MeasuredPost {
  readonly profileId: Uuid;
  readonly at: number;
  readonly engagement: number;
}

/** A post's hour of the week, and the tamed logarithm of its engagement as a multiple of its profile's. */
export interface Sample {
  readonly hours: Uint8Array;
  readonly values: Float64Array;
}

/** In robust standard deviations: one boosted post doesn't make an hour. */
const TAMED_AT = 3;

/** Of a normal distribution, in median absolute deviations. */
const DEVIATION = 1.4826;

export function sampleOf(posts: readonly MeasuredPost[], hours: LocalHours): Sample {
  const values = Float64Array.from(posts, ({ engagement }) => Math.log1p(engagement));
  const profiles = new Map<Uuid, number[]>();
  for (const [index, { profileId }] of posts.entries()) {
    const indexes = profiles.get(profileId) ?? [];
    indexes.push(index);
    profiles.set(profileId, indexes);
  }
  for (const indexes of profiles.values()) tame(values, indexes);
  return { hours: Uint8Array.from(posts, ({ at }) => hours.at(at)), values };
}

/** Winsorizes a profile's values and centres them. */
function tame(values: Float64Array, indexes: readonly number[]): void {
  const own = indexes.map((index) => values[index] ?? 0);
  const middle = median(own);
  const spread = DEVIATION * median(own.map((value) => Math.abs(value - middle)));
  // More than half of the values are alike.
  const limit = spread > 0 ? TAMED_AT * spread : Number.POSITIVE_INFINITY;
  const tamed = own.map((value) => Math.min(middle + limit, Math.max(middle - limit, value)));
  const mean = tamed.reduce((sum, value) => sum + value, 0) / tamed.length;
  for (const [nth, index] of indexes.entries()) values[index] = (tamed[nth] ?? 0) - mean;
}

function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2;
}

export interface Cells {
  readonly counts: Float64Array;
  readonly sums: Float64Array;
}

export function cellsOf(hours: Uint8Array, values: Float64Array): Cells {
  const cells = { counts: new Float64Array(HOURS_PER_WEEK), sums: new Float64Array(HOURS_PER_WEEK) };
  for (const [index, hour] of hours.entries()) {
    cells.counts[hour] = (cells.counts[hour] ?? 0) + 1;
    cells.sums[hour] = (cells.sums[hour] ?? 0) + (values[index] ?? 0);
  }
  return cells;
}
