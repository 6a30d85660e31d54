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
 */
export function countCreated(
  queries: Queries,
  dialect: Dialect,
  workspaceId: Uuid,
  filter: MediaFilter,
): Promise<number> {
  const index = indexOfCreation(filter);
  return countWithin(filter, {
    inDays: (start, end) => sumOf(dayCounts(queries, dialect, workspaceId, filter, start, end), 'items'),
    between: (from, to) => countOf(filterMedia(queries, dialect, workspaceId, { ...filter, from, to }, index)),
  });
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
