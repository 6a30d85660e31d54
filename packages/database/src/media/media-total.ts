import type { MediaFilter, Uuid } from '@postshelf/domain';
import { type SqlBool, sql } from 'kysely';
import type { Dialect, Queries } from '../store/dialect.ts';

export interface StoredCounts {
  readonly candidates: number;
  readonly others: number;
  /** Whether there are more rows of counts than were summed. */
  readonly isCut: boolean;
}

/** Sums at most `most` rows of counts. */
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
