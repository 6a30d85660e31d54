import { parseUuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { reapUploads } from '../presign/reap-uploads.ts';

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
}

/**
 * Removes what crashes left: staged bytes and objects without a row, as soon as the storage knows that nobody works
 * with them, else once they are older than `age`. Nothing in flight is touched. Run it as often as you like, from any
 * number of processes.
 */
export async function collectGarbage(
  ports: Pick<Ports, 'media' | 'storage' | 'uploads' | 'presigned' | 'clock'>,
  age: number = GARBAGE_AGE,
): Promise<GarbageReport> {
  const before = ports.clock.now() - age;
  const staged = await ports.storage.sweepStaging(before);
  let objects = 0;
  let batch: string[] = [];
  const removeOrphans = async (): Promise<void> => {
    const kept = await ports.media.existingFullNames(batch);
    for (const key of batch) {
      if (kept.has(key) || !(await isOrphan(ports, key))) continue;
      await ports.storage.remove(key);
      objects += 1;
    }
    batch = [];
  };
  for await (const { key, modifiedAt, isSettled } of ports.storage.list()) {
    if (!isSettled && modifiedAt >= before) continue;
    batch.push(key);
    if (batch.length === BATCH) await removeOrphans();
  }
  if (batch.length > 0) await removeOrphans();
  const { items: unconfirmed, files: uploads } = await reapUploads(ports);
  return { staged, objects, unconfirmed, uploads };
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
