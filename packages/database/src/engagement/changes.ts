import { engagementOf, type Post, QUARTERS_PER_DAY, quarterOf, type Uuid } from '@postshelf/domain';
import { type DayTally, emptyDay } from './day-tally.ts';

/** What is counted of a post. */
export type Counted = Pick<Post, 'profileId' | 'publishedAt' | 'metrics'>;

/** Of each profile, by UTC day from the epoch. */
type DaysByProfile = ReadonlyMap<Uuid, ReadonlyMap<number, DayTally>>;

/**
 * What changes of posts add to the days of their profiles, so that each day is written once; what they take away is
 * negative.
 */
export function tallyChanges(changes: Iterable<{ before: Counted | null; after: Counted | null }>): DaysByProfile {
  const profiles = new Map<Uuid, Map<number, DayTally>>();
  for (const { before, after } of changes) {
    if (before && after && countTheSame(before, after)) continue;
    if (before) count(profiles, before, -1);
    if (after) count(profiles, after, 1);
  }
  return profiles;
}

function countTheSame(one: Counted, other: Counted): boolean {
  return (
    one.profileId === other.profileId &&
    quarterOf(one.publishedAt) === quarterOf(other.publishedAt) &&
    engagementOf(one.metrics) === engagementOf(other.metrics)
  );
}

function count(profiles: Map<Uuid, Map<number, DayTally>>, post: Counted, sign: 1 | -1): void {
  const inAll = quarterOf(post.publishedAt);
  const [day, quarter] = [Math.floor(inAll / QUARTERS_PER_DAY), inAll % QUARTERS_PER_DAY];
  const days = profiles.get(post.profileId) ?? new Map<number, DayTally>();
  profiles.set(post.profileId, days);
  const tally = days.get(day) ?? emptyDay();
  days.set(day, tally);
  addTo(tally, quarter, sign, sign * engagementOf(post.metrics));
}

export function addTo({ posts, engagement }: DayTally, quarter: number, morePosts: number, more: number): void {
  posts[quarter] = (posts[quarter] ?? 0) + morePosts;
  engagement[quarter] = (engagement[quarter] ?? 0) + more;
}
