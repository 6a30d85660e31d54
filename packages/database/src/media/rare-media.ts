import type { MediaFilter, Uuid } from '@postshelf/domain';
import { type SqlBool, sql } from 'kysely';
import { FEW_ROWS } from '../store/count.ts';
import type { Dialect, Queries } from '../store/dialect.ts';
import { filterMedia, isLookedUp, type MediaListing, type MediaSelection } from './media-filter.ts';

const IS_UNFINISHED = sql<SqlBool>`status <> 'active'`;

/** Returns the partial index that contains all items of a list, and its condition; null if there is none. */
function rareIndexOf({ status, kind }: MediaFilter) {
  if (status !== undefined && status !== 'active') return ['media_unfinished', IS_UNFINISHED] as const;
  if (kind === 'video') return ['media_films', sql<SqlBool>`type > 'video/' and type < 'video0'`] as const;
  return null;
}

/** Filters like {@link filterMedia}, but with an index of rare items; null if the filter's items aren't rare. */
export function filterRare(
  known: Pick<MediaListing, 'queries' | 'dialect' | 'workspaceId' | 'query' | 'candidates' | 'others'>,
): MediaSelection | null {
  const { queries, dialect, workspaceId, query, candidates, others } = known;
  const rare = rareIndexOf(query);
  if (rare === null || query.folderId !== undefined || isLookedUp(query)) return null;
  if (candidates > FEW_ROWS || others <= FEW_ROWS) return null;
  return filterMedia(queries, dialect, workspaceId, query, rare[0]).where(rare[1]);
}

/** Selects items that a search finds and that aren't `active`. */
export const filterUnfinished = (
  queries: Queries,
  dialect: Dialect,
  workspaceId: Uuid,
  search: string,
): MediaSelection => filterMedia(queries, dialect, workspaceId, { search }, 'media_unfinished').where(IS_UNFINISHED);
