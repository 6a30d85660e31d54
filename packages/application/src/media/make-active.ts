import {
  type ActiveMedia,
  activate,
  finalName,
  fullNameOf,
  type ProcessingMedia,
  type TemporaryMedia,
} from '@postshelf/domain';
import { stageCover } from '../covers/stage-cover.ts';
import type { Ports } from '../ports.ts';
import type { ReceivedFile } from './inspect-staged.ts';

/** An item that waits for its file, and what the caller holds of it. */
export interface PendingItem<Item extends ProcessingMedia | TemporaryMedia> {
  readonly item: Item;
  /** Whether an earlier holder may have been killed between publishing and finishing. */
  readonly mayHaveLeftOver: boolean;
  /** Prolongs the hold right before the first write that another holder could feel; false when it is lost. */
  renewLease(): Promise<boolean>;
  /** Keeps rows in one transaction, with the item as it is now; false when the hold is lost or the item was deleted. */
  finish(
    decide: (current: Item) => { readonly item: ActiveMedia; readonly cover: ActiveMedia | null },
  ): Promise<boolean>;
}

/**
 * Makes an item that waited for its file `active`: cover, objects, and then the rows. Does nothing when the hold on it is
 * lost meanwhile: whoever has it now begins anew.
 *
 * @returns whether the item is active now
 */
export async function makeActive<Item extends ProcessingMedia | TemporaryMedia>(
  ports: Pick<Ports, 'media' | 'storage' | 'covers' | 'clock' | 'ids'>,
  making: PendingItem<Item>,
  { object, content }: ReceivedFile,
): Promise<boolean> {
  const { id, workspaceId, name } = making.item;
  const fullName = fullNameOf(workspaceId, id, finalName(name, content.type));
  const become = (item: ProcessingMedia | TemporaryMedia): ActiveMedia =>
    activate(item, { name: finalName(item.name, content.type), fullName, content }, ports.clock.now());
  const cover = await stageCover(ports, become(making.item), object);
  try {
    if (!(await making.renewLease())) return false;
    if (making.mayHaveLeftOver) await ports.storage.remove(fullName);
    await object.publish(fullName);
    if (cover) await cover.object.publish(cover.item.fullName);
    const done = await making.finish((current) => ({ item: become(current), cover: cover?.item ?? null }));
    if (done) return true;
    // Nobody else ever has the cover's name. The item's own is the next holder's too, so it goes only with the item.
    if (cover) await ports.storage.remove(cover.item.fullName);
    if (!(await ports.media.find(id))) await ports.storage.remove(fullName);
    return false;
  } finally {
    await cover?.object.discard();
  }
}
