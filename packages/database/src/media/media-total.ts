import type { MediaFilter, Uuid } from '@postshelf/domain';
import { countOf, sumOf } from '../store/count.ts';
import { countWithin } from '../store/days.ts';
import type { Dialect, Queries } from '../store/store.ts';
import { filterMedia, indexOfCreation } from './media-filter.ts';

/** The counts that are kept of a list, of what its filter says of folder, status and kind. */
export function keptCounts(queries: Queries, { noId }: Dialect, workspaceId: Uuid, filter: MediaFilter) {
  const { folderId, status, kind } = filter;
  let counts = queries.selectFrom('media_counts').where('workspace_id', '=', workspaceId);
  if (folderId !== undefined) counts = counts.where('folder_id', '=', folderId ?? noId);
  if (status !== undefined) counts = counts.where('status', '=', status);
  if (kind !== undefined) counts = counts.where('kind', '=', kind);
  return counts;
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
