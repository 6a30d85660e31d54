import type { MediaWithCover, Uuid } from '@postshelf/domain';
import { withCover } from '../media/media-rows.ts';
import type { Dialect, Queries } from '../store/dialect.ts';
import type { MediaRow } from '../store/tables.ts';

/**
 * Selects an active item of the workspace with these bytes. Covers don't count, because they are deleted with their
 * videos.
 */
export const itemsWithBytes = (queries: Queries, workspaceId: Uuid, sha256: string) =>
  queries
    .selectFrom('media')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('sha256', '=', sha256)
    .where('cover_of', 'is', null)
    .where('status', '=', 'active')
    .limit(1);

/**
 * Locks hashes instead of rows, because there may be no row with a hash yet. May be called only once per transaction,
 * before {@link lockDuplicate}: otherwise two transactions could deadlock.
 */
export const lockBytes = (
  queries: Queries,
  dialect: Dialect,
  workspaceId: Uuid,
  hashes: readonly string[],
): Promise<void> =>
  dialect.lock(
    queries,
    'duplicates',
    hashes.map((sha256) => `${workspaceId} ${sha256}`),
  );

/** Finds an active item with these bytes and locks it until the transaction ends; null if there is none. */
export const lockDuplicate = (queries: Queries, workspaceId: Uuid, sha256: string): Promise<MediaWithCover | null> =>
  withItsCover(queries, itemsWithBytes(queries, workspaceId, sha256).forKeyShare());

/** Returns the first selected item with its cover; null if there is none. */
export async function withItsCover(
  queries: Queries,
  items: { executeTakeFirst(): Promise<MediaRow | undefined> },
): Promise<MediaWithCover | null> {
  const row = await items.executeTakeFirst();
  if (!row) return null;
  const coverRow = await queries.selectFrom('media').selectAll().where('cover_of', '=', row.id).executeTakeFirst();
  return withCover(row, coverRow);
}
