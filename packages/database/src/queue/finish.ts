import type { ImportOutcome, ProcessingMedia, Uuid } from '@postshelf/domain';
import { endMaking } from '../repositories/end-making.ts';
import { lockItem } from '../repositories/lock-item.ts';
import type { Queries } from '../repositories/store.ts';

/** Ends an import that the owner still holds, within a transaction. */
export async function finishImport(
  queries: Queries,
  mediaId: Uuid,
  owner: string,
  decide: (item: ProcessingMedia) => ImportOutcome,
): Promise<boolean> {
  if (!(await lockItem(queries, mediaId))) return false;
  const { numDeletedRows } = await queries
    .deleteFrom('imports')
    .where('media_id', '=', mediaId)
    .where('lease_owner', '=', owner)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await endMaking(queries, mediaId, 'processing', decide);
  return true;
}
