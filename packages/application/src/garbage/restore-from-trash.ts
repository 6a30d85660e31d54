import { parseUuid, type TrashedObject, type TrashRestoreOutcome } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

const BATCH = 500;

type TrashPorts = Pick<Ports, 'media' | 'storage' | 'trash'>;

export interface RestoredObject {
  readonly key: string;
  readonly outcome: TrashRestoreOutcome;
  /** Whether the object belongs to an item; if not, the next collection moves it to the trash again. */
  readonly hasItem: boolean;
}

/**
 * Restores objects from the trash. Existing objects are never overwritten. If several objects in the trash have the
 * same key, the latest is restored.
 *
 * @param keys the keys to restore, or `all`
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
 * Yields the objects in the trash that active items lack, for example after a wrong database was replaced with the
 * right one.
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
    // An interrupted import may have used the key for a different file, so the sizes are compared.
    if (known.has(key) && (await sizeInItem(ports, key)) === size && !(await ports.storage.open(key))) yield trashed;
  }
}

async function sizeInItem({ media }: Pick<Ports, 'media'>, key: string): Promise<number | null> {
  const id = parseUuid(key.split('/')[1]);
  const item = id && (await media.findStored(id));
  return item?.status === 'active' && item.fullName === key ? item.content.size : null;
}
