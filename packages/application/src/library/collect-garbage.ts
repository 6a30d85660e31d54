import type { Ports } from '../ports.ts';

/** Milliseconds after which bytes without a row, or staged bytes nobody adds to, belong to no request any more. */
export const GARBAGE_AGE = 60 * 60 * 1000;

const BATCH = 500;

export interface GarbageReport {
  /** Staged uploads that were dropped. */
  readonly staged: number;
  /** Objects without a row that were removed. */
  readonly objects: number;
}

/**
 * Removes what crashes left: staged bytes and objects without a row, older than `age` by the storage's clock, so
 * that nothing in flight is touched. Run it as often as you like, from any number of processes.
 */
export async function collectGarbage(
  ports: Pick<Ports, 'media' | 'storage' | 'clock'>,
  age: number = GARBAGE_AGE,
): Promise<GarbageReport> {
  const before = ports.clock.now() - age;
  const staged = await ports.storage.sweepStaging(before);
  let objects = 0;
  let batch: string[] = [];
  const removeOrphans = async (): Promise<void> => {
    const kept = await ports.media.existingFullNames(batch);
    for (const key of batch) {
      if (kept.has(key)) continue;
      await ports.storage.remove(key);
      objects += 1;
    }
    batch = [];
  };
  for await (const { key, modifiedAt } of ports.storage.list()) {
    if (modifiedAt >= before) continue;
    batch.push(key);
    if (batch.length === BATCH) await removeOrphans();
  }
  if (batch.length > 0) await removeOrphans();
  return { staged, objects };
}
