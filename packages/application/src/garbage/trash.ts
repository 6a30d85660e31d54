import { parseUuid, type TrashedObject, type TrashRestoreOutcome } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/** Objects that are asked about at once. */
const BATCH = 500;

type TrashPorts = Pick<Ports, 'media' | 'storage' | 'trash'>;

/** What became of one object that was asked back. */
export interface RestoredObject {
  readonly key: string;
  readonly outcome: TrashRestoreOutcome;
  /** Whether an active item has it; what no item has is set aside again. */
  readonly hasItem: boolean;
}

/**
 * Brings objects back from the trash, never over one that is there. Of those that lie there more than once under a key
 * the last one comes. Tells what became of each as it goes.
 *
 * @param keys which; `all` for everything. One that isn't in the trash is told as such
 */
export async function* restoreFromTrash(
  ports: TrashPorts,
  keys: readonly string[] | 'all',
): AsyncGenerator<RestoredObject> {
  const wanted = keys === 'all' ? null : new Set(keys);
  for await (const trashed of ports.trash.list()) {
    const { key } = trashed;
    if (wanted && !wanted.delete(key)) continue;
    const outcome = await ports.trash.restore(trashed);
    yield { key, outcome, hasItem: (await sizeInItem(ports, key)) !== null };
  }
  for (const key of wanted ?? []) {
    yield { key, outcome: 'not_in_trash', hasItem: (await sizeInItem(ports, key)) !== null };
  }
}

/**
 * What lies in the trash, and should not: an active item has it, and its object isn't there. A database that is put
 * right finds its media again by this.
 */
export async function* missingFromTrash(ports: TrashPorts): AsyncGenerator<TrashedObject> {
  let batch: TrashedObject[] = [];
  for await (const trashed of ports.trash.list()) {
    batch.push(trashed);
    if (batch.length < BATCH) continue;
    yield* missingAmong(ports, batch);
    batch = [];
  }
  if (batch.length > 0) yield* missingAmong(ports, batch);
}

async function* missingAmong(ports: TrashPorts, batch: readonly TrashedObject[]): AsyncGenerator<TrashedObject> {
  const known = await ports.media.existingFullNames(batch.map(({ key }) => key));
  for (const trashed of batch) {
    const { key, size } = trashed;
    // By its size too: a name may have been used before by an import that was cut off.
    if (known.has(key) && (await sizeInItem(ports, key)) === size && !(await ports.storage.open(key))) yield trashed;
  }
}

/** Bytes of the active item that has the object; null where none has. */
async function sizeInItem({ media }: Pick<Ports, 'media'>, key: string): Promise<number | null> {
  const id = parseUuid(key.split('/')[1]);
  const item = id && (await media.find(id))?.item;
  return item?.status === 'active' && item.fullName === key ? item.content.size : null;
}
