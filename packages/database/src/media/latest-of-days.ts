import type { MediaFilter, Uuid } from '@postshelf/domain';
import { type Expression, type SqlBool, sql } from 'kysely';
import { DAY } from '../store/days.ts';
import { filterMedia, type MediaListing, type MediaSelection, type Part } from './media-filter.ts';
import { dayCounts } from './media-total.ts';

/** The highest `offset + limit` of a part for which this is worth it; also the most days whose rows are read. */
const MAX_ROWS = 200;

/**
 * Reads a part of the items created within a time, in the order of their last changes. An index yields the first rows
 * of each day of creation, and the first n rows of the list lie within at most n days: those whose own first rows sort
 * first.
 *
 * @returns the ids; null if the filter has a folder, the part ends too far down the list, or matches are so rare that
 *   reading all items within the time is as fast
 */
export async function latestOfDays(listing: MediaListing, part: Part): Promise<readonly Uuid[] | null> {
  const { queries, query, total } = listing;
  const rows = part.offset + part.limit;
  const { folderId, status, kind, search, sort } = query;
  if (folderId !== undefined || (sort !== undefined && sort.by !== 'updated_at') || rows > MAX_ROWS) return null;
  const isPart = [status, kind, search].some((given) => given !== undefined);
  if (isPart && total < rows * rows) return null;
  const days = await firstDays(listing, part, rows);
  const firsts = firstOfDays(listing, part, days, rows);
  if (firsts === null) return [];
  const found = await queries
    .selectFrom(firsts.as('firsts'))
    .select('id')
    .orderBy('updated_at', part.direction)
    .orderBy('id', part.direction)
    .limit(part.limit)
    .offset(part.offset)
    .execute();
  return found.map(({ id }) => id);
}

/**
 * The days that contain the first rows. Days partly outside the time are always included: their first row may lie
 * outside, so they can't be ranked by it.
 */
async function firstDays(listing: MediaListing, { direction }: Part, rows: number): Promise<readonly number[]> {
  const { queries, dialect, workspaceId, query } = listing;
  const { from: _from, to: _to, ...others } = query;
  const { first, end, cut } = daysOf(query);
  const days = dayCounts(queries, dialect, workspaceId, others, first, end).select('day').distinct().as('days');
  const edge = direction === 'desc' ? 'max' : 'min';
  const found = await queries
    .selectFrom(days)
    .select((eb) => [
      'day',
      ofDay(listing, eb.ref('days.day'))
        .select(sql<number>`${sql.raw(edge)}(${dialect.changeInDay})`.as('edge'))
        .as('edge'),
    ])
    .execute();
  const sign = direction === 'desc' ? -1 : 1;
  const whole = found
    .map(({ day, edge }) => ({ day: Number(day), edge: Number(edge) }))
    .filter(({ day }) => !cut.includes(day))
    .sort((a, b) => sign * (a.edge - b.edge));
  return [...cut, ...whole.slice(0, rows).map(({ day }) => day)];
}

/** The UTC days of a time: the first, the one after the last, and those only partly within it (`cut`). */
function daysOf({ from, to }: MediaFilter) {
  const first = from === undefined ? null : Math.floor(from / DAY);
  const end = to === undefined ? null : Math.floor(to / DAY) + 1;
  const cut = new Set<number>();
  if (first !== null && from !== undefined && from > first * DAY) cut.add(first);
  if (end !== null && to !== undefined && to < end * DAY - 1) cut.add(end - 1);
  return { first, end, cut: [...cut] };
}

/**
 * The list's items created on a UTC day. The unary plus strips the column affinity from the number, without which
 * SQLite wouldn't use the index.
 */
function ofDay({ queries, dialect, workspaceId, query }: MediaListing, day: Expression<number>): MediaSelection {
  const { from: _from, to: _to, ...others } = query;
  return filterMedia(queries, dialect, workspaceId, others, 'media_latest_of_day').where(
    sql<SqlBool>`created_at / ${sql.lit(DAY)} = +${day}`,
  );
}

/** The first rows of each of the days; null if there are no days. */
function firstOfDays(listing: MediaListing, part: Part, days: readonly number[], rows: number) {
  const { queries, dialect } = listing;
  const each = dialect.eachNumber?.(days);
  if (each !== undefined) {
    // The same text for any number of days, so that the statement stays prepared.
    return queries
      .selectFrom(each.as('day'))
      .innerJoinLateral(firstOfDay(listing, part, sql.ref('day'), rows).as('of_day'), (join) => join.onTrue())
      .select(['of_day.id', 'of_day.updated_at']);
  }
  const [first, ...others] = days.map((day) => firstOfDay(listing, part, sql.lit(day), rows));
  return first === undefined ? null : others.reduce((together, next) => together.unionAll(next), first);
}

function firstOfDay(listing: MediaListing, { direction }: Part, day: Expression<number>, rows: number) {
  const { from, to } = listing.query;
  let items = ofDay(listing, day);
  if (from !== undefined) items = items.where('created_at', '>=', from);
  if (to !== undefined) items = items.where('created_at', '<=', to);
  const first = items
    .select(['id', 'updated_at'])
    .orderBy(listing.dialect.changeInDay, direction)
    .orderBy('id', direction)
    .limit(rows);
  return listing.queries.selectFrom(first.as('first')).select(['id', 'updated_at']);
}
