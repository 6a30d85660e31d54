import {
  isOlderThanLibrary,
  type Library,
  type ListedObject,
  parseUuid,
  refuseCollection,
  type WithheldCollection,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';

const BATCH = 500;

/**
 * Maximum number of orphans that are listed, which take about 3 MB of memory. Further orphans are only counted until
 * the next collection.
 */
const MAX_NAMED = 10_000;

export interface Orphans {
  readonly objects: number;
  readonly count: number;
  /** Number of orphans that are older than the library. */
  readonly older: number;
  readonly named: readonly ListedObject[];
}

/**
 * Counts all objects, and finds objects that belong to no item. Such an object is an orphan only if it is settled
 * ({@link ListedObject}) or was published before the given time. Changes nothing.
 *
 * @param before milliseconds since the epoch
 */
export async function findOrphans(
  ports: Pick<Ports, 'media' | 'storage'>,
  { createdAt }: Pick<Library, 'createdAt'>,
  before: number,
): Promise<Orphans> {
  const named: ListedObject[] = [];
  const found = { objects: 0, count: 0, older: 0 };
  const countAmong = async (batch: readonly ListedObject[]): Promise<void> => {
    const kept = await ports.media.existingFullNames(batch.map(({ key }) => key));
    for (const object of batch) {
      if (kept.has(object.key)) continue;
      // Each of the first `MAX_NAMED` orphans is checked with a query. There are rarely more orphans than this.
      const isNamed = named.length < MAX_NAMED;
      if (isNamed && !(await isOrphan(ports, object.key))) continue;
      if (isNamed) named.push(object);
      found.count += 1;
      if (isOlderThanLibrary(object.modifiedAt, createdAt)) found.older += 1;
    }
  };
  let batch: ListedObject[] = [];
  for await (const object of ports.storage.list()) {
    found.objects += 1;
    if (!object.isSettled && object.modifiedAt >= before) continue;
    batch.push(object);
    if (batch.length < BATCH) continue;
    await countAmong(batch);
    batch = [];
  }
  if (batch.length > 0) await countAmong(batch);
  return { ...found, named };
}

/** Returns why orphans stay until an operator agrees; null if they may go to the trash. */
export function withholdCollection(
  { objects, count, older }: Orphans,
  { restoredAt }: Pick<Library, 'restoredAt'>,
  maxPercent: number,
): WithheldCollection | null {
  const facts = { objects, orphans: count, older, isRestored: restoredAt !== null, maxPercent };
  const reason = refuseCollection(facts);
  return reason && { ...facts, reason };
}

/**
 * Whether an object belongs to no item. The object of a `processing` item isn't an orphan, because after a kill the
 * next worker takes over what an import has published. The object of a `failed` item is one.
 */
export async function isOrphan(ports: Pick<Ports, 'media'>, key: string): Promise<boolean> {
  const id = parseUuid(key.split('/')[1]);
  const found = id && (await ports.media.findStored(id));
  if (!found || found.status === 'failed') return true;
  return found.status !== 'processing' && found.fullName !== key;
}
