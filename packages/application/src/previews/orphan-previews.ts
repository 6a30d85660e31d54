import type { ListedPreview } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

type OrphanPorts = Pick<Ports, 'previews' | 'previewStorage'>;

const BATCH = 500;

/**
 * Purges previews of items that don't exist, which a killed process may leave behind. They don't go to the trash,
 * because they can be made again.
 *
 * @param onFreed called with the size of each in bytes
 * @returns how many were purged
 */
export async function purgeOrphanPreviews(
  ports: OrphanPorts,
  onFreed: (bytes: number) => void,
  signal: AbortSignal | undefined,
): Promise<number> {
  let count = 0;
  let batch: ListedPreview[] = [];
  const purgeAmongBatch = async (): Promise<void> => {
    const orphans = await orphansAmong(ports, batch);
    for (const { workspaceId, id, size } of orphans) {
      await ports.previewStorage.purge({ workspaceId, id });
      onFreed(size);
    }
    count += orphans.length;
    batch = [];
  };
  for await (const preview of ports.previewStorage.list()) {
    if (signal?.aborted) return count;
    batch.push(preview);
    if (batch.length === BATCH) await purgeAmongBatch();
  }
  await purgeAmongBatch();
  return count;
}

async function orphansAmong({ previews }: OrphanPorts, batch: readonly ListedPreview[]): Promise<ListedPreview[]> {
  const known = await previews.existingItems([...new Set(batch.map(({ id }) => id))]);
  return batch.filter(({ id }) => !known.has(id));
}
