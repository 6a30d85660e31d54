import type { Uuid } from '@postshelf/domain';
import type { Queries } from '../repositories/store.ts';
import { type DayTally, emptyDay, encodeDay } from './day-tally.ts';
import { keptDays, type TalliedDay } from './keep-days.ts';
import { recount } from './recount.ts';

/** Some days as their posts say they are. */
export interface ComparedDays {
  /** How many posts each has; days without any aren't mentioned. */
  readonly posts: ReadonlyMap<number, number>;
  /** The days of which something else is kept, in order. */
  readonly wrong: readonly TalliedDay[];
}

/** Compares what is kept of a profile's days, from `first` to before `end`, with their posts. */
export async function compareDays(
  queries: Queries,
  profileId: Uuid,
  first: number,
  end: number,
): Promise<ComparedDays> {
  const days = Array.from({ length: end - first }, (_, index) => first + index);
  const counted = await recount(queries, profileId, first, end);
  const kept = await keptDays(queries, profileId, days);
  const wrong = days
    .map((day) => ({ profileId, day, tally: counted.get(day) ?? emptyDay() }))
    .filter(({ day, tally }) => !isKept(tally, kept.get(day)));
  return { posts: new Map(Array.from(counted, ([day, tally]) => [day, postsOf(tally)])), wrong };
}

/** Byte by byte, whatever somebody else has written there. */
function isKept(tally: DayTally, kept: Uint8Array | undefined): boolean {
  const bytes = encodeDay(tally);
  if (!bytes || !kept) return !bytes && !kept;
  return Buffer.compare(bytes, kept) === 0;
}

const postsOf = ({ posts }: DayTally): number => posts.reduce((sum, count) => sum + count, 0);
