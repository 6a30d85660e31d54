import type { MediaFilter, Uuid } from '@postshelf/domain';
import { type SqlBool, sql } from 'kysely';
import { countOf, sumOf } from '../store/count.ts';
import { countWithin } from '../store/days.ts';
import type { Dialect, Queries } from '../store/store.ts';
import { filterMedia, indexOfCreation } from './media-filter.ts';

/** What the counts that are kept say of a list. */
export interface Kept {
  /** Items that have the folder, status and kind that are asked for. */
  readonly candidates: number;
  /** Items that have the folder, and another status or kind. */
  readonly others: number;
  /** Whether there are more counts than were to be added up, so that neither is true. */
  readonly isCut: boolean;
}

/** Adds up the counts that are kept of the folder, so many of them at most. */
export async function sumKept(
  queries: Queries,
  { noId }: Dialect,
  workspaceId: Uuid,
  { folderId, status, kind }: MediaFilter,
  most = Infinity,
): Promise<Kept> {
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
 * How many listed media were created within the time that the filter gives, of what it says of folder, status and kind: whole days by
 * the counts that are kept, and the parts of a first and a last day by an index.
 *
 * @param candidates those of any time
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
      // Of most days it is fewer rows to take the others off.
      if (last - first <= (span.end - span.first) / 2) return sum(first, last);
      return candidates - (await sum(null, first)) - (await sum(last, null));
    },
    between: (from, to) => countOf(filterMedia(queries, dialect, workspaceId, { ...filter, from, to }, index)),
  });
}

/** From the first day on which an item was created to before the one behind the last. */
async function daysOf(queries: Queries, workspaceId: Uuid): Promise<{ readonly first: number; readonly end: number }> {
  const days = queries.selectFrom('media_days').select('day').where('workspace_id', '=', workspaceId).limit(1);
  const { first, last } = await queries
    .selectNoFrom([days.orderBy('day').as('first'), days.orderBy('day', 'desc').as('last')])
    .executeTakeFirstOrThrow();
  return first === null || last === null ? { first: 0, end: 0 } : { first: Number(first), end: Number(last) + 1 };
}

/** The kept counts of days from one to before another; null: of all on that side. */
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
