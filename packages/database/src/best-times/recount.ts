import { engagementOf, QUARTER, QUARTERS_PER_DAY, type Uuid } from '@postshelf/domain';
import { type RawBuilder, sql } from 'kysely';
import type { Queries } from '../store/dialect.ts';
import { IS_COUNTED } from './counted.ts';
import { type DayTally, emptyDay, encodeDay } from './day-tally.ts';
import { storedDays, type TalliedDay } from './store-days.ts';

const DAY = QUARTER * QUARTERS_PER_DAY;

/**
 * Counts a profile's days from its posts, from `first` to before `end`. Engagement is linear in the metrics, so it
 * follows from their sums.
 */
async function recount(
  queries: Queries,
  profileId: Uuid,
  first: number,
  end: number,
): Promise<ReadonlyMap<number, DayTally>> {
  // Integer division: both databases drop the remainder.
  const quarter: RawBuilder<number> = sql`published_at / ${sql.lit(QUARTER)}`;
  const rows = await queries
    .selectFrom('posts')
    .select((eb) => [
      quarter.as('quarter'),
      eb.fn.countAll().as('posts'),
      eb.fn.sum('impressions').as('impressions'),
      eb.fn.sum('likes').as('likes'),
      eb.fn.sum('comments').as('comments'),
      eb.fn.sum('shares').as('shares'),
      eb.fn.sum('saves').as('saves'),
      eb.fn.sum('clicks').as('clicks'),
    ])
    .where('profile_id', '=', profileId)
    .where('published_at', '>=', first * DAY)
    .where('published_at', '<', end * DAY)
    .where(IS_COUNTED)
    .groupBy(quarter)
    .execute();
  const days = new Map<number, DayTally>();
  for (const row of rows) {
    const inAll = Number(row.quarter);
    const day = Math.floor(inAll / QUARTERS_PER_DAY);
    const tally = days.get(day) ?? emptyDay();
    days.set(day, tally);
    tally.posts[inAll % QUARTERS_PER_DAY] = Number(row.posts);
    tally.engagement[inAll % QUARTERS_PER_DAY] = engagementOf({
      impressions: Number(row.impressions),
      likes: Number(row.likes),
      comments: Number(row.comments),
      shares: Number(row.shares),
      saves: Number(row.saves),
      clicks: Number(row.clicks),
    });
  }
  return days;
}

/** From `day` on; null if there is none. */
export async function nextDay(queries: Queries, profileId: Uuid, day: number): Promise<number | null> {
  const post = await queries
    .selectFrom('posts')
    .select('published_at')
    .where('profile_id', '=', profileId)
    .where('published_at', '>=', day * DAY)
    .orderBy('published_at')
    .limit(1)
    .executeTakeFirst();
  const kept = await queries
    .selectFrom('engagement_days')
    .select('day')
    .where('profile_id', '=', profileId)
    .where('day', '>=', day)
    .orderBy('day')
    .limit(1)
    .executeTakeFirst();
  const days = [...(post ? [Math.floor(post.published_at / DAY)] : []), ...(kept ? [kept.day] : [])];
  return days.length > 0 ? Math.min(...days) : null;
}

export interface ComparedDays {
  /** Days without posts are left out. */
  readonly posts: ReadonlyMap<number, number>;
  /** In order. */
  readonly wrong: readonly TalliedDay[];
}

/** From `first` to before `end`. */
export async function compareDays(
  queries: Queries,
  profileId: Uuid,
  first: number,
  end: number,
): Promise<ComparedDays> {
  const days = Array.from({ length: end - first }, (_, index) => first + index);
  const counted = await recount(queries, profileId, first, end);
  const kept = await storedDays(queries, profileId, days);
  const wrong = days
    .map((day) => ({ profileId, day, tally: counted.get(day) ?? emptyDay() }))
    .filter(({ day, tally }) => !isKept(tally, kept.get(day)));
  return { posts: new Map(Array.from(counted, ([day, tally]) => [day, postsOf(tally)])), wrong };
}

/** Damaged bytes might not even be readable. */
function isKept(tally: DayTally, kept: Uint8Array | undefined): boolean {
  const bytes = encodeDay(tally);
  if (!bytes || !kept) return !bytes && !kept;
  return Buffer.compare(bytes, kept) === 0;
}

const postsOf = ({ posts }: DayTally): number => posts.reduce((sum, count) => sum + count, 0);
