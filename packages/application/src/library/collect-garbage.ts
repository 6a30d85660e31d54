import { type ListedObject, parseUuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { reapUploads } from '../presign/reap-uploads.ts';
import { type OwnershipPorts, requireOwnership } from './ownership.ts';

/**
 * Milliseconds after which bytes belong to no request any more, where the storage can't tell: no request is answered
 * so late.
 */
export const GARBAGE_AGE = 24 * 60 * 60 * 1000;

const BATCH = 500;

export interface GarbageReport {
  /** Staged uploads that were dropped. */
  readonly staged: number;
  /** Objects without a row that were removed. */
  readonly objects: number;
  /** Presigned uploads that nobody confirmed, and were removed. */
  readonly unconfirmed: number;
  /** Files that came for items which don't wait for one, and were removed. */
  readonly uploads: number;
  /** Bytes that all of it held, as far as the storage tells. */
  readonly bytes: number;
}

/**
 * Removes what crashes left: staged bytes and objects without a row, as soon as the storage knows that nobody works
 * with them, else once they are older than `age`. Nothing in flight is touched. Run it as often as you like, from any
 * number of processes.
 *
 * @throws OwnershipRefused where the objects are not of the database's library: nothing was removed
 */
export async function collectGarbage(
  ports: OwnershipPorts & Pick<Ports, 'uploads' | 'presigned'>,
  age: number = GARBAGE_AGE,
): Promise<GarbageReport> {
  const { library } = await requireOwnership(ports);
  // The rows are older than the objects: what has no row may be somebody's all the same.
  if (library.restoredAt !== null) return { staged: 0, objects: 0, unconfirmed: 0, uploads: 0, bytes: 0 };
  const before = ports.clock.now() - age;
  let bytes = 0;
  const staged = await ports.storage.sweepStaging(before, (freed) => {
    bytes += freed;
  });
  let objects = 0;
  let batch: ListedObject[] = [];
  const removeOrphans = async (): Promise<void> => {
    const kept = await ports.media.existingFullNames(batch.map(({ key }) => key));
    for (const { key, size } of batch) {
      if (kept.has(key) || !(await isOrphan(ports, key))) continue;
      await ports.storage.remove(key);
      objects += 1;
      bytes += size;
    }
    batch = [];
  };
  for await (const object of ports.storage.list()) {
    if (!object.isSettled && object.modifiedAt >= before) continue;
    batch.push(object);
    if (batch.length === BATCH) await removeOrphans();
  }
  if (batch.length > 0) await removeOrphans();
  const reaped = await reapUploads(ports);
  return { staged, objects, unconfirmed: reaped.items, uploads: reaped.files, bytes: bytes + reaped.bytes };
}

/**
 * Keys are used once, but for an import's: after a kill its next worker publishes under the same name, at any moment
 * since the objects were listed. So one of an item that is still `processing` is left to that worker.
 */
async function isOrphan(ports: Pick<Ports, 'media'>, key: string): Promise<boolean> {
  const id = parseUuid(key.split('/')[1]);
  const found = id && (await ports.media.find(id));
  return !found || (found.item.status !== 'processing' && found.item.fullName !== key);
}
