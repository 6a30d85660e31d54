import {
  type EngagementVisitor,
  engagementOf,
  FIRST_PUBLISHED,
  type PostMetrics,
  QUARTER,
  QUARTERS_PER_DAY,
  quarterOf,
  type TimeWindow,
  type Uuid,
} from '@postshelf/domain';
import { sql } from 'kysely';
import type { Queries } from '../store/store.ts';
import { readDay } from './day-tally.ts';

const DAY = QUARTER * QUARTERS_PER_DAY;

/** Days that are read at once: a year and its rest, so that most windows take one query a profile. */
const DAYS = 400;

/** Tells a visitor what a profile posted in a window, at the moment that the queries see. */
export async function visitProfile(
  queries: Queries,
  profileId: Uuid,
  window: TimeWindow,
  visitor: EngagementVisitor,
): Promise<void> {
  const [first, last] = [quarterOf(window.from), quarterOf(window.to)];
  const [firstWhole, lastWhole] = [Math.ceil(window.from / QUARTER), quarterOf(window.to + 1) - 1];
  let hasPosts = false;
  let day: number | null = Math.floor(Math.max(window.from, FIRST_PUBLISHED) / DAY);
  while (day !== null) {
    const rows = await daysOf(queries, profileId, day, Math.floor(window.to / DAY));
    const cut = new CutQuarters();
    for (const row of rows) {
      readDay(row.quarters, (ofDay, posts, engagement) => {
        const quarter = row.day * QUARTERS_PER_DAY + ofDay;
        if (quarter < first || quarter > last) return;
        const isWhole = quarter >= firstWhole && quarter <= lastWhole;
        if (!isWhole || !visitor.takesWhole(quarter)) return cut.add(quarter);
        cut.end();
        visitor.quarter(quarter, posts, engagement);
        hasPosts = true;
      });
    }
    for (const stretch of cut.stretches(window)) {
      for await (const { publishedAt, metrics } of postsWithin(queries, profileId, stretch)) {
        visitor.post(publishedAt, engagementOf(metrics));
        hasPosts = true;
      }
    }
    const latest = rows.length < DAYS ? undefined : rows.at(-1);
    day = latest ? latest.day + 1 : null;
  }
  if (hasPosts) visitor.endProfile();
}

const daysOf = (queries: Queries, profileId: Uuid, first: number, last: number) =>
  queries
    .selectFrom('engagement_days')
    .select(['day', 'quarters'])
    .where('profile_id', '=', profileId)
    .where('day', '>=', first)
    .where('day', '<=', last)
    .orderBy('day')
    .limit(DAYS)
    .execute();

const startOf = (quarter: number): number => quarter * QUARTER;

/** Quarters whose posts are told one by one, and the stretches of time that they make. */
class CutQuarters {
  readonly #stretches: { first: number; last: number }[] = [];
  #open = false;

  /** Adds a quarter after those before. Between two of them that aren't told apart by {@link end} are no posts. */
  add(quarter: number): void {
    const latest = this.#stretches.at(-1);
    if (this.#open && latest) latest.last = quarter;
    else this.#stretches.push({ first: quarter, last: quarter });
    this.#open = true;
  }

  /** A quarter that is told as a whole comes in between. */
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

/** Posts that are read at once, so that memory is bounded however many there are. */
const PAGE = 2000;

interface CountedPost {
  readonly publishedAt: number;
  readonly metrics: PostMetrics;
}

/** A profile's posts of a stretch of time, oldest first. */
export async function* postsWithin(
  queries: Queries,
  profileId: Uuid,
  { from, to }: TimeWindow,
): AsyncGenerator<CountedPost, void> {
  const posts = queries
    .selectFrom('posts')
    .select(['id', 'published_at', 'impressions', 'likes', 'comments', 'shares', 'saves', 'clicks'])
    .where('profile_id', '=', profileId)
    .where('published_at', '>=', from)
    .where('published_at', '<=', to)
    .orderBy('published_at')
    .orderBy('id')
    .limit(PAGE);
  let rows = await posts.execute();
  while (true) {
    for (const row of rows) yield { publishedAt: row.published_at, metrics: row };
    const last = rows.at(-1);
    if (rows.length < PAGE || !last) return;
    const isAfter = sql<boolean>`(published_at, id) > (${last.published_at}, ${last.id})`;
    rows = await posts.where(isAfter).execute();
  }
}
