import {
  isOlderThanLibrary,
  type Library,
  type ListedObject,
  parseUuid,
  refuseCollection,
  type WithheldCollection,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/** Objects that are asked about at once. */
const BATCH = 500;

/** Orphans of one look that are named: some 3 MB. Others are counted; the next collection finds them again. */
const MAX_NAMED = 10_000;

/** What stands in the storage and has no item. */
export interface Orphans {
  /** All objects of the storage. */
  readonly objects: number;
  /** How many of them are orphans. */
  readonly count: number;
  /** Orphans that are older than the library. */
  readonly older: number;
  /** The first of them. */
  readonly named: readonly ListedObject[];
}

/**
 * Counts all objects, and finds those that no item has and nobody works with any more: settled, or published before the
 * time. Changes nothing.
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
  const lookAt = async (batch: readonly ListedObject[]): Promise<void> => {
    const kept = await ports.media.existingFullNames(batch.map(({ key }) => key));
    for (const object of batch) {
      if (kept.has(object.key)) continue;
      // A row each is asked for only of those that are named; there are few others but on the worst of days.
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
    await lookAt(batch);
    batch = [];
  }
  if (batch.length > 0) await lookAt(batch);
  return { ...found, named };
}

/** Why the orphans stay where they are until a person consents; null: they may be set aside. */
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
 * Whether no item has the object (any more). Keys are used once, but for an import's: after a kill its next worker
 * publishes under the same name, at any moment since the objects were listed. So one of an item that is still
 * `processing` is left to that worker.
 */
export async function isOrphan(ports: Pick<Ports, 'media'>, key: string): Promise<boolean> {
  const id = parseUuid(key.split('/')[1]);
  const found = id && (await ports.media.find(id));
  return !found || (found.item.status !== 'processing' && found.item.fullName !== key);
}
