import type { StagedItem } from '../covers/stage-cover.ts';
import type { Ports } from '../ports.ts';

/**
 * Publishes objects, and then keeps their rows: `keepRows` answers false when it kept none. Objects that end up without
 * a row are removed, but for those whose rows may have been kept although the database said no more: they are left
 * to garbage collection, which looks again.
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
