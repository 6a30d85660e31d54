import { engagementOf, QUARTER, QUARTERS_PER_DAY, type Uuid } from '@postshelf/domain';
import { type RawBuilder, sql } from 'kysely';
import type { Queries } from '../repositories/store.ts';
import { type DayTally, emptyDay } from './day-tally.ts';

const DAY = QUARTER * QUARTERS_PER_DAY;

/**
 * Counts a profile's days anew from its posts, those from `first` to before `end`; days without posts aren't among
 * them. Engagement is a sum of metrics, so that of many posts is the sum of theirs.
 */
export async function recount(
  queries: Queries,
  profileId: Uuid,
  first: number,
  end: number,
): Promise<ReadonlyMap<number, DayTally>> {
  // Whole numbers divided: both databases leave the remainder.
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

/** The first day from `day` on of which the profile has posts or a row; null when there is none. */
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
