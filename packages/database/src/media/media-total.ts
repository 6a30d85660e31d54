import type { MediaFilter, Uuid } from '@postshelf/domain';
import { type SqlBool, sql } from 'kysely';
import { countOf, sumOf } from '../store/count.ts';
import { countWithin } from '../store/days.ts';
import type { Dialect, Queries } from '../store/store.ts';
import { filterMedia, indexOfCreation } from './media-filter.ts';

/** Numbers of items from the stored counts. */
export interface StoredCounts {
  /** Items that match the filter's folder, status and kind. */
  readonly candidates: number;
  /** Items that match the folder but not the status or kind. */
  readonly others: number;
  /** Whether there are more rows of counts than were to be added up, so that both numbers are too small. */
  readonly isCut: boolean;
}

/** Sums the stored counts of the filter's folder, reading at most `most` rows. */
export async function sumStoredCounts(
  queries: Queries,
  { noId }: Dialect,
  workspaceId: Uuid,
  { folderId, status, kind }: MediaFilter,
  most = Infinity,
): Promise<StoredCounts> {
  const isListed = sql<SqlBool>`(${status === undefined ? sql`1 = 1` : sql`status = ${status}`}
    and ${kind === undefined ? sql`1 = 1` : sql`kind = ${kind}`})`;
  let counts = queries
    .selectFrom('media_counts')
    .where('workspace_id', '=', workspaceId)
    .select(['items', isListed.as('is_listed')]);
  if (folderId !== undefined) counts = counts.where('folder_id', '=', folderId ?? noId);
  if (Number.isFinite(most)) counts = counts.limit(most + 1);
  const sums = await queries
    .selectFrom(counts.as('counts'))
    .select((eb) => [
      eb.fn.countAll().as('rows'),
      eb.fn.sum<number | string | null>('counts.items').as('all'),
      sql<number | string | null>`sum(counts.items) filter (where counts.is_listed)`.as('candidates'),
    ])
    .executeTakeFirstOrThrow();
  const candidates = Number(sums.candidates ?? 0);
  return { candidates, others: Number(sums.all ?? 0) - candidates, isCut: Number(sums.rows) > most };
}

/**
 * Counts media that match the filter's time, folder, status and kind: whole days by stored counts, partial first and
 * last days by an index.
 *
 * @param candidates how many match without the time
 */
export async function countCreated(
  queries: Queries,
  dialect: Dialect,
  workspaceId: Uuid,
  filter: MediaFilter,
  candidates: number,
): Promise<number> {
  const index = indexOfCreation(filter);
  const span = await daysOf(queries, workspaceId);
  const sum = (start: number | null, end: number | null): Promise<number> =>
    sumOf(dayCounts(queries, dialect, workspaceId, filter, start, end), 'items');
  return countWithin(filter, {
    inDays: async (start, end) => {
      const [first, last] = [Math.max(start ?? span.first, span.first), Math.min(end ?? span.end, span.end)];
      if (first >= last) return 0;
      // For more than half of the days, subtracting the other days reads fewer rows.
      if (last - first <= (span.end - span.first) / 2) return sum(first, last);
      return candidates - (await sum(null, first)) - (await sum(last, null));
    },
    between: (from, to) => countOf(filterMedia(queries, dialect, workspaceId, { ...filter, from, to }, index)),
  });
}

/** The first day on which an item was created, and the day after the last one. */
async function daysOf(queries: Queries, workspaceId: Uuid): Promise<{ readonly first: number; readonly end: number }> {
  const days = queries.selectFrom('media_days').select('day').where('workspace_id', '=', workspaceId).limit(1);
  const { first, last } = await queries
    .selectNoFrom([days.orderBy('day').as('first'), days.orderBy('day', 'desc').as('last')])
    .executeTakeFirstOrThrow();
  return first === null || last === null ? { first: 0, end: 0 } : { first: Number(first), end: Number(last) + 1 };
}

/** The stored counts of the days from `start` up to, but without, `end`; null: unbounded on that side. */
export function dayCounts(
  queries: Queries,
  { noId }: Dialect,
  workspaceId: Uuid,
  { folderId, status, kind }: MediaFilter,
  start: number | null,
  end: number | null,
) {
  let counts = queries.selectFrom('media_days').where('workspace_id', '=', workspaceId);
  if (start !== null) counts = counts.where('day', '>=', start);
  if (end !== null) counts = counts.where('day', '<', end);
  if (folderId !== undefined) counts = counts.where('folder_id', '=', folderId ?? noId);
  if (status !== undefined) counts = counts.where('status', '=', status);
  if (kind !== undefined) counts = counts.where('kind', '=', kind);
  return counts;
}
