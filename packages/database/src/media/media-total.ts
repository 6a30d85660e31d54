import type { MediaFilter, Uuid } from '@postshelf/domain';
import { countOf, sumOf } from '../store/count.ts';
import type { Dialect, Queries } from '../store/store.ts';
import { filterMedia } from './media-filter.ts';

/** The counts that are kept of a list, of what its filter says of folder, status and kind. */
export function keptCounts(queries: Queries, { noId }: Dialect, workspaceId: Uuid, filter: MediaFilter) {
  const { folderId, status, kind } = filter;
  let counts = queries.selectFrom('media_counts').where('workspace_id', '=', workspaceId);
  if (folderId !== undefined) counts = counts.where('folder_id', '=', folderId ?? noId);
  if (status !== undefined) counts = counts.where('status', '=', status);
  if (kind !== undefined) counts = counts.where('kind', '=', kind);
  return counts;
}

/** Milliseconds. */
export const DAY = 86_400_000;

/**
 * How many listed media were created within the time that the filter gives, of what it says of folder, status and kind: whole days by
 * the counts that are kept, and the parts of a first and a last day by an index.
 */
export async function countCreated(
  queries: Queries,
  dialect: Dialect,
  workspaceId: Uuid,
  filter: MediaFilter,
): Promise<number> {
  const { from, to, folderId } = filter;
  const index = folderId === undefined ? 'media_newest' : 'media_newest_in_folder';
  const first = from === undefined ? null : Math.ceil(from / DAY);
  const end = to === undefined ? null : Math.floor((to + 1) / DAY);
  const countBetween = (start: number, last: number): Promise<number> =>
    start > last
      ? Promise.resolve(0)
      : countOf(filterMedia(queries, dialect, workspaceId, { ...filter, from: start, to: last }, index));
  if (first !== null && end !== null && from !== undefined && to !== undefined && first > end) {
    return countBetween(from, to);
  }
  const inDays = (start: number | null, until: number | null): Promise<number> =>
    sumOf(dayCounts(queries, dialect, workspaceId, filter, start, until), 'items');
  // The shorter part of a day is counted.
  const startOfDay = async (time: number): Promise<number> => {
    const day = Math.floor(time / DAY);
    if (time - day * DAY <= DAY / 2) return countBetween(day * DAY, time - 1);
    return (await inDays(day, day + 1)) - (await countBetween(time, (day + 1) * DAY - 1));
  };
  let total = await inDays(first, end);
  if (from !== undefined && first !== null && first * DAY > from) {
    total += (await inDays(first - 1, first)) - (await startOfDay(from));
  }
  if (to !== undefined && end !== null && end * DAY <= to) total += await startOfDay(to + 1);
  return total;
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
