import type { Random } from '@postshelf/harness';
import { type Metrics, metricNames } from '../../posts/support/posts.ts';
import { clockChanges } from './temporal.ts';

const hour = 3_600_000;
const quarter = hour / 4;

/** A line of an import, and the instant of its `published_at`. */
export interface RandomPost {
  readonly profile: string;
  readonly external_id: string;
  readonly at: number;
  readonly metrics: Metrics;
}

/** Kinds of profiles by the range of their metrics. One workspace may have profiles of all kinds. */
export const engagementKinds = ['usual', 'silent', 'enormous', 'rarely heard'] as const;

export type EngagementKind = (typeof engagementKinds)[number];

/**
 * A random instant between two instants. It is often at a change of the clocks, or at the start of a quarter of an
 * hour.
 */
export function randomInstant(random: Random, zone: string, from: number, to: number): number {
  const anywhere = random.whole(from, to - 1);
  const kind = random.next();
  const changes = clockChanges(zone, from, to);
  if (kind < 0.3 && changes.length > 0) return random.pick(changes) + random.whole(-3 * hour, 3 * hour);
  if (kind < 0.4 && changes.length > 0) return random.pick(changes) + random.whole(-1, 1);
  if (kind < 0.6) return Math.round(anywhere / quarter) * quarter + random.whole(-1, 1);
  return anywhere;
}

export function randomMetrics(random: Random, kind: EngagementKind): Metrics {
  const value = () => {
    if (kind === 'silent' || (kind === 'rarely heard' && !random.chance(0.05))) return 0;
    if (kind === 'enormous') return random.whole(0, 100_000_000_000);
    // The metrics have a long tail: most posts have low ones, and some have very high ones.
    return random.chance(0.1) ? 0 : Math.floor(20 / (random.next() + 0.001));
  };
  const [impressions, likes, comments, shares, saves, clicks] = metricNames.map(value) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  // Metrics that the heatmap doesn't use are also set, so that the test fails if it uses them.
  const silent = kind === 'silent';
  return { impressions: silent ? 7 : impressions, likes, comments, shares, saves, clicks: silent ? 3 : clicks };
}

/** Writes the instant in one of the forms that RFC 3339 allows: with any offset, and with or without a fraction. */
export function randomRfc3339(random: Random, instant: number): string {
  const minutes = random.pick([0, 0, 60, -300, 345, 630, -570, 840]);
  const text = new Date(instant + minutes * 60_000).toISOString().slice(0, -1);
  const bare = instant % 1000 === 0 && random.chance(0.5) ? text.slice(0, -4) : text;
  if (minutes === 0) return `${bare}${random.pick(['Z', '+00:00'])}`;
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${bare}${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
}

/** The line that imports a post. */
export function lineOf(random: Random, { profile, external_id, at, metrics }: RandomPost): string {
  return JSON.stringify({ profile, external_id, published_at: randomRfc3339(random, at), metrics });
}
