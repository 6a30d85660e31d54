import {
  type ActiveMedia,
  activate,
  type CoverOutcome,
  finalName,
  fullNameOf,
  type ProcessingMedia,
  type TemporaryMedia,
} from '@postshelf/domain';
import { coverOutcome, stageCover, stagedCover } from '../covers/stage-cover.ts';
import type { Ports } from '../ports.ts';
import type { ReceivedFile } from './inspect-staged.ts';

/** An item that waits for its file, under a lease of the caller. */
export interface PendingItem<Item extends ProcessingMedia | TemporaryMedia> {
  readonly item: Item;
  /** Whether an earlier owner may have been killed between publishing and finishing. */
  readonly mayHaveLeftOver: boolean;
  /** Renews the lease, right before the first write that another owner would notice; false when it was lost. */
  renewLease(): Promise<boolean>;
  /** Writes the rows in one transaction, given the item's current row; false when the lease was lost or the item deleted. */
  finish(decide: (current: Item) => { readonly item: ActiveMedia; readonly cover: CoverOutcome }): Promise<boolean>;
}

/**
 * Makes an item that waited for its file `active`: cover, objects, and then the rows. Does nothing when the lease was
 * lost meanwhile: its new owner starts again.
 *
 * @param signal aborted when nobody waits for the cover any more: it follows in the background
 * @returns whether the item is active now
 */
export async function makeActive<Item extends ProcessingMedia | TemporaryMedia>(
  ports: Pick<Ports, 'media' | 'storage' | 'covers' | 'shares' | 'clock' | 'ids'>,
  making: PendingItem<Item>,
  { object, content }: ReceivedFile,
  signal?: AbortSignal,
): Promise<boolean> {
  const { id, workspaceId, name } = making.item;
  const fullName = fullNameOf(workspaceId, id, finalName(name, content.type));
  const become = (item: ProcessingMedia | TemporaryMedia): ActiveMedia =>
    activate(item, { name: finalName(item.name, content.type), fullName, content }, ports.clock.now());
  const outcome = await stageCover(ports, become(making.item), object, signal);
  const cover = stagedCover(outcome);
  try {
    if (!(await making.renewLease())) return false;
    if (making.mayHaveLeftOver) await ports.storage.remove(fullName);
    await object.publish(fullName);
    if (cover) await cover.object.publish(cover.item.fullName);
    const done = await making.finish((current) => ({ item: become(current), cover: coverOutcome(outcome) }));
    if (done) return true;
    // The cover's key is unique to this attempt. The next owner uses the item's own key, too, so that goes only with the item.
    if (cover) await ports.storage.remove(cover.item.fullName);
    if (!(await ports.media.find(id))) await ports.storage.remove(fullName);
    return false;
  } finally {
    await cover?.object.discard();
  }
}
