import type { Uuid } from '@postshelf/domain';
import { blocksOf } from '../repositories/blocks.ts';
import type { Queries } from '../repositories/store.ts';
import type { EngagementDayRow } from '../repositories/tables.ts';
import { addTo, type Counted, tallyChanges } from './changes.ts';
import { type DayTally, emptyDay, encodeDay, readDay } from './day-tally.ts';

/**
 * Brings the days of the profiles up to date with their posts, within the transaction that changes these and has the
 * profiles locked.
 */
export async function countChanges(
  queries: Queries,
  changes: Iterable<{ before: Counted | null; after: Counted | null }>,
): Promise<void> {
  const days: TalliedDay[] = [];
  for (const [profileId, changed] of tallyChanges(changes)) {
    const kept = await keptDays(queries, profileId, [...changed.keys()]);
    for (const [day, tally] of changed) {
      days.push({ profileId, day, tally: sum(tally, kept.get(day)) });
    }
  }
  await keepDays(queries, days);
}

export interface TalliedDay {
  readonly profileId: Uuid;
  readonly day: number;
  readonly tally: DayTally;
}

/** Makes rows say what the tallies say; a day without posts loses its row. */
export async function keepDays(queries: Queries, days: readonly TalliedDay[]): Promise<void> {
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

/** What is kept of the given days. */
export async function keptDays(
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
  if (kept) readDay(kept, (quarter, posts, engagement) => addTo(tally, quarter, posts, engagement));
  return tally;
}
