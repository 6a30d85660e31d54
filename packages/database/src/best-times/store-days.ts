import { engagementOf, isCounted, type Post, QUARTERS_PER_DAY, quarterOf, type Uuid } from '@postshelf/domain';
import { blocksOf } from '../store/blocks.ts';
import type { Queries } from '../store/dialect.ts';
import type { EngagementDayRow } from '../store/tables.ts';
import { type DayTally, decodeDay, emptyDay, encodeDay } from './day-tally.ts';

/** Applies changes of posts to the stored days, within the transaction that makes them and has locked the profiles. */
export async function countChanges(
  queries: Queries,
  changes: Iterable<{ before: CountedPost | null; after: CountedPost | null }>,
): Promise<void> {
  const days: TalliedDay[] = [];
  for (const [profileId, changed] of tallyChanges(changes)) {
    const kept = await storedDays(queries, profileId, [...changed.keys()]);
    for (const [day, tally] of changed) {
      days.push({ profileId, day, tally: sum(tally, kept.get(day)) });
    }
  }
  await storeDays(queries, days);
}

export interface TalliedDay {
  readonly profileId: Uuid;
  readonly day: number;
  readonly tally: DayTally;
}

/** The row of a day without posts is deleted. */
export async function storeDays(queries: Queries, days: readonly TalliedDay[]): Promise<void> {
  const rows: EngagementDayRow[] = [];
  for (const { profileId, day, tally } of days) {
    const quarters = encodeDay(tally);
    if (quarters) rows.push({ profile_id: profileId, day, quarters });
    else await dropDay(queries, profileId, day);
  }
  for (const block of blocksOf(rows)) {
    await queries
      .insertInto('engagement_days')
      .values(block)
      .onConflict((conflict) =>
        conflict.columns(['profile_id', 'day']).doUpdateSet((eb) => ({ quarters: eb.ref('excluded.quarters') })),
      )
      .execute();
  }
}

async function dropDay(queries: Queries, profileId: Uuid, day: number): Promise<void> {
  await queries.deleteFrom('engagement_days').where('profile_id', '=', profileId).where('day', '=', day).execute();
}

export async function storedDays(
  queries: Queries,
  profileId: Uuid,
  days: readonly number[],
): Promise<ReadonlyMap<number, Uint8Array>> {
  const kept = new Map<number, Uint8Array>();
  for (const block of blocksOf(days)) {
    const rows = await queries
      .selectFrom('engagement_days')
      .select(['day', 'quarters'])
      .where('profile_id', '=', profileId)
      .where('day', 'in', block)
      .execute();
    for (const { day, quarters } of rows) kept.set(day, quarters);
  }
  return kept;
}

function sum(change: DayTally, kept: Uint8Array | undefined): DayTally {
  const tally = emptyDay();
  for (const quarter of change.posts.keys()) {
    addTo(tally, quarter, change.posts[quarter] ?? 0, change.engagement[quarter] ?? 0);
  }
  if (kept) decodeDay(kept, (quarter, posts, engagement) => addTo(tally, quarter, posts, engagement));
  return tally;
}

export type CountedPost = Pick<Post, 'profileId' | 'publishedAt' | 'createdAt' | 'metrics'>;

type DaysByProfile = ReadonlyMap<Uuid, ReadonlyMap<number, DayTally>>;

/** By profile and day, so that each day is written once; negative where more is removed than added. */
function tallyChanges(changes: Iterable<{ before: CountedPost | null; after: CountedPost | null }>): DaysByProfile {
  const profiles = new Map<Uuid, Map<number, DayTally>>();
  for (const { before, after } of changes) {
    if (before && after && areCountedAlike(before, after)) continue;
    if (before) count(profiles, before, -1);
    if (after) count(profiles, after, 1);
  }
  return profiles;
}

function areCountedAlike(one: CountedPost, other: CountedPost): boolean {
  return (
    one.profileId === other.profileId &&
    isCounted(one) === isCounted(other) &&
    quarterOf(one.publishedAt) === quarterOf(other.publishedAt) &&
    engagementOf(one.metrics) === engagementOf(other.metrics)
  );
}

function count(profiles: Map<Uuid, Map<number, DayTally>>, post: CountedPost, sign: 1 | -1): void {
  if (!isCounted(post)) return;
  const inAll = quarterOf(post.publishedAt);
  const [day, quarter] = [Math.floor(inAll / QUARTERS_PER_DAY), inAll % QUARTERS_PER_DAY];
  const days = profiles.get(post.profileId) ?? new Map<number, DayTally>();
  profiles.set(post.profileId, days);
  const tally = days.get(day) ?? emptyDay();
  days.set(day, tally);
  addTo(tally, quarter, sign, sign * engagementOf(post.metrics));
}

function addTo({ posts, engagement }: DayTally, quarter: number, morePosts: number, more: number): void {
  posts[quarter] = (posts[quarter] ?? 0) + morePosts;
  engagement[quarter] = (engagement[quarter] ?? 0) + more;
}
