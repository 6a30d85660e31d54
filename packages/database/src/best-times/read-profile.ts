import {
  engagementOf,
  FIRST_PUBLISHED,
  QUARTER,
  QUARTERS_PER_DAY,
  quarterOf,
  type TimeWindow,
  type Uuid,
} from '@postshelf/domain';
import { sql } from 'kysely';
import type { Queries } from '../store/dialect.ts';
import type { EngagementDayRow } from '../store/tables.ts';
import { IS_COUNTED } from './counted.ts';
import { decodeDay } from './day-tally.ts';

const DAY = QUARTER * QUARTERS_PER_DAY;

/** Most windows take one query per profile. */
const DAYS = 400;

const POSTS = 2000;

interface EngagementRow {
  /** Of the quarter, or of the single post; milliseconds since the epoch. */
  readonly at: number;
  readonly posts: number;
  readonly engagement: number;
}

/**
 * Reads the posts of a profile in a window, in any order: one row for a quarter that may be counted as a whole, else
 * one for each post.
 *
 * @param isWhole asked for quarters within the window
 */
export async function* readProfile(
  queries: Queries,
  profileId: Uuid,
  window: TimeWindow,
  isWhole: (quarter: number) => boolean,
): AsyncGenerator<readonly EngagementRow[], void> {
  const [first, last] = [quarterOf(window.from), quarterOf(window.to)];
  const [firstWhole, lastWhole] = [Math.ceil(window.from / QUARTER), quarterOf(window.to + 1) - 1];
  for await (const days of daysWithin(queries, profileId, window)) {
    const rows: EngagementRow[] = [];
    const cut = new CutQuarters();
    for (const { day, quarters } of days) {
      decodeDay(quarters, (ofDay, posts, engagement) => {
        const quarter = day * QUARTERS_PER_DAY + ofDay;
        if (quarter < first || quarter > last) return;
        const isWithin = quarter >= firstWhole && quarter <= lastWhole;
        if (!isWithin || !isWhole(quarter)) return cut.add(quarter);
        cut.end();
        rows.push({ at: startOf(quarter), posts, engagement });
      });
    }
    if (rows.length > 0) yield rows;
    for (const stretch of cut.stretches(window)) yield* postsWithin(queries, profileId, stretch);
  }
}

async function* daysWithin(
  queries: Queries,
  profileId: Uuid,
  { from, to }: TimeWindow,
): AsyncGenerator<readonly Omit<EngagementDayRow, 'profile_id'>[], void> {
  const days = queries
    .selectFrom('engagement_days')
    .select(['day', 'quarters'])
    .where('profile_id', '=', profileId)
    .where('day', '<=', Math.floor(to / DAY))
    .orderBy('day')
    .limit(DAYS);
  let rows = await days.where('day', '>=', Math.floor(Math.max(from, FIRST_PUBLISHED) / DAY)).execute();
  while (rows.length > 0) {
    yield rows;
    const latest = rows.length < DAYS ? undefined : rows.at(-1);
    rows = latest ? await days.where('day', '>', latest.day).execute() : [];
  }
}

async function* postsWithin(
  queries: Queries,
  profileId: Uuid,
  { from, to }: TimeWindow,
): AsyncGenerator<readonly EngagementRow[], void> {
  const posts = queries
    .selectFrom('posts')
    .select(['id', 'published_at', 'impressions', 'likes', 'comments', 'shares', 'saves', 'clicks'])
    .where('profile_id', '=', profileId)
    .where('published_at', '>=', from)
    .where('published_at', '<=', to)
    .where(IS_COUNTED)
    .orderBy('published_at')
    .orderBy('id')
    .limit(POSTS);
  let rows = await posts.execute();
  while (rows.length > 0) {
    yield rows.map((row) => ({ at: row.published_at, posts: 1, engagement: engagementOf(row) }));
    const last = rows.length < POSTS ? undefined : rows.at(-1);
    rows = last
      ? await posts.where(sql<boolean>`(published_at, id) > (${last.published_at}, ${last.id})`).execute()
      : [];
  }
}

const startOf = (quarter: number): number => quarter * QUARTER;

class CutQuarters {
  readonly #stretches: { first: number; last: number }[] = [];
  #open = false;

  /** It extends the current stretch, as no posts lie between, unless {@link end} was called. */
  add(quarter: number): void {
    const latest = this.#stretches.at(-1);
    if (this.#open && latest) latest.last = quarter;
    else this.#stretches.push({ first: quarter, last: quarter });
    this.#open = true;
  }

  end(): void {
    this.#open = false;
  }

  stretches({ from, to }: TimeWindow): readonly TimeWindow[] {
    return this.#stretches.map(({ first, last }) => ({
      from: Math.max(from, startOf(first)),
      to: Math.min(to, startOf(last + 1) - 1),
    }));
  }
}
