import type { StagedItem } from '../covers/stage-cover.ts';
import type { Ports } from '../ports.ts';

/**
 * Publishes objects, and then inserts their rows: `keepRows` answers false when it inserted none. Objects without a row
 * are removed, except when the insert failed with an error: the rows may have been committed then, so garbage collection
 * decides later.
 *
 * @returns what `keepRows` answered
 */
export async function publishThenInsert(
  ports: Pick<Ports, 'storage'>,
  ready: readonly StagedItem[],
  keepRows: () => Promise<boolean>,
): Promise<boolean> {
  const published: string[] = [];
  const remove = () => Promise.allSettled(published.map((fullName) => ports.storage.remove(fullName)));
  try {
    for (const { item, object } of ready) {
      await object.publish(item.fullName);
      published.push(item.fullName);
    }
  } catch (cause) {
    await remove();
    throw cause;
  }
  const kept = await keepRows();
  if (!kept) await remove();
  return kept;
}
