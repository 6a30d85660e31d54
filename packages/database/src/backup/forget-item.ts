import { isUsable, type Uuid } from '@postshelf/domain';
import { lockAndPick, takeOut } from '../media/take-out.ts';
import { addCoverJob } from '../media/write-items.ts';
import type { Queries } from '../store/dialect.ts';
import { removeTrashed } from '../trash/trash-repository.ts';

/** Removes an item from a copy of the database, as `DatabaseCopy.forget` promises. */
export async function forgetItem(transaction: Queries, id: Uuid): Promise<void> {
  await removeTrashed(transaction, [id]);
  const found = await lockAndPick(transaction, id);
  if (found === null) return;
  await transaction.deleteFrom('post_media').where('media_id', '=', id).execute();
  await takeOut(transaction, found);
  const video = isUsable(found.item) ? found.item.coverOf : null;
  const uncovered = video && (await lockAndPick(transaction, video));
  if (uncovered) await addCoverJob(transaction, uncovered.item);
}
