import {
  type ActiveMedia,
  ALIAS_LIFETIME,
  activate,
  type ByteSource,
  fail,
  finalName,
  fullNameOf,
  keyWhenActive,
  type MediaContent,
  type OnDuplicate,
  type PendingOutcome,
  type ProcessingMedia,
  type StagedObject,
  StorageFull,
  type TemporaryMedia,
} from '@postshelf/domain';
import { coverOutcome, stageCover, stagedCover } from '../covers/stage-cover.ts';
import { chunksOf } from '../objects/read-stored.ts';
import type { Ports, Shared } from '../ports.ts';
import type { ReceivedFile } from './inspect.ts';

type MakePorts = Pick<Ports, 'media' | 'duplicates' | 'storage' | 'trash' | 'digest' | 'covers' | 'clock' | 'ids'> &
  Pick<Shared, 'shares'>;

export interface PendingItem<Item extends ProcessingMedia | TemporaryMedia> {
  readonly item: Item;
  /** An earlier owner may have been killed between publishing and finishing. */
  readonly mayHaveLeftOver: boolean;
  readonly onDuplicate: OnDuplicate;
  /** Right before the first write that another owner would notice; false when it was lost. */
  renewLease(): Promise<boolean>;
  /**
   * Writes the rows in one transaction, given the item's current row. False if the lease was lost, or an item was
   * deleted.
   */
  finish(decide: (current: Item) => PendingOutcome): Promise<boolean>;
}

/**
 * Makes an item that waited for its file `active`: cover, objects, and then the rows. Does nothing if the lease was
 * lost. If the file is a duplicate that is to be returned, the item becomes an alias instead; if the workspace's quota has
 * no room for it, `failed`.
 *
 * @param signal aborted when the client no longer waits for the cover
 * @returns whether the item no longer waits for its file; `full`: as it has failed
 */
export async function makeActive<Item extends ProcessingMedia | TemporaryMedia>(
  ports: MakePorts,
  making: PendingItem<Item>,
  { object, content }: ReceivedFile,
  signal?: AbortSignal,
): Promise<boolean | 'full'> {
  const { id, workspaceId } = making.item;
  if (await becomeAlias(ports, making, content)) return true;
  let fullName = keyWhenActive(making.item, content.type);
  const become = (item: ProcessingMedia | TemporaryMedia): ActiveMedia =>
    activate(item, { name: finalName(item.name, content.type), fullName, content }, ports.clock.now());
  const outcome = await stageCover(ports, become(making.item), object, signal);
  const cover = stagedCover(outcome);
  try {
    if (!(await making.renewLease())) return false;
    let leftOver = making.mayHaveLeftOver ? await findLeftOver(ports, object, fullName) : 'none';
    // Other bytes may be those of another copy of the database. They stay, and are garbage if they are nobody's.
    for (let number = 2; leftOver === 'other'; number += 1) {
      fullName = fullNameOf(workspaceId, id, finalName(`${number}`, content.type));
      leftOver = await findLeftOver(ports, object, fullName);
    }
    if (leftOver === 'none') await object.publish(fullName, content.type);
    if (cover) await cover.object.publish(cover.item.fullName);
    const done = await making
      .finish((current) => ({
        item: become(current),
        cover: coverOutcome(outcome),
        ...(making.onDuplicate === 'return' && { aliasUntil: ports.clock.now() + ALIAS_LIFETIME }),
      }))
      .catch((cause: unknown) => {
        if (cause instanceof StorageFull) return cause;
        throw cause;
      });
    if (done instanceof StorageFull) {
      // The row first: another owner might make it active.
      const hasFailed = await making.finish((current) => ({
        item: fail(current, done.sentence, ports.clock.now()),
        cover: null,
      }));
      if (cover) await ports.storage.remove(cover.item.fullName);
      // As below: a copy of the database may have made it active.
      if (hasFailed && leftOver === 'none') await ports.trash.add(fullName, ports.clock.now());
      return hasFailed && 'full';
    }
    if (done && (making.onDuplicate === 'keep' || (await ports.media.findStored(id)))) return true;
    // The cover's key is unique to this attempt, while the item's own is also used by the next owner.
    if (cover) await ports.storage.remove(cover.item.fullName);
    if (leftOver === 'none' && !(await ports.media.findStored(id))) await ports.trash.add(fullName, ports.clock.now());
    return done;
  } finally {
    await cover?.object.discard();
  }
}

/** Makes the item an alias of the duplicate that is to be returned, before anything is made. False otherwise. */
async function becomeAlias<Item extends ProcessingMedia | TemporaryMedia>(
  { duplicates, clock }: Pick<MakePorts, 'duplicates' | 'clock'>,
  { item, onDuplicate, finish }: PendingItem<Item>,
  { sha256 }: MediaContent,
): Promise<boolean> {
  if (onDuplicate === 'keep' || sha256 === null || !(await duplicates.find(item.workspaceId, sha256))) return false;
  return finish(() => ({ item: null, sha256, aliasUntil: clock.now() + ALIAS_LIFETIME }));
}

/** The same bytes, or others. */
async function findLeftOver(
  { storage, digest }: Pick<MakePorts, 'storage' | 'digest'>,
  object: StagedObject,
  fullName: string,
): Promise<'none' | 'same' | 'other'> {
  const stored = await storage.open(fullName);
  if (stored === null) return 'none';
  if (stored.size !== object.size) return 'other';
  const hashOf = async (bytes: AsyncIterable<Uint8Array>) => (await digest(bytes)).sha256;
  const own = object.sha256 ?? (await hashOf(readAll(object)));
  return (await hashOf(chunksOf(stored))) === own ? 'same' : 'other';
}

const READ_SIZE = 1024 * 1024;

async function* readAll(source: ByteSource): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < source.size; at += READ_SIZE) yield source.read(at, READ_SIZE);
}
