import type { EventPosition } from '@postshelf/domain';
import type { Dialect, Queries } from '../store/dialect.ts';

/**
 * Advances the stored position if the library has no webhooks yet; must be called before a webhook is inserted. While
 * there are no webhooks, the position isn't kept up to date, and events after it may be pruned.
 *
 * @param newest the position of the newest event; the new webhook gets only later events
 */
export async function beginFanOut(transaction: Queries, dialect: Dialect, newest: EventPosition): Promise<void> {
  const place = await lockPlace(transaction);
  if (place >= newest || (await hasWebhooks(transaction, dialect))) return;
  await transaction.updateTable('fan_out').set({ position: newest }).where('id', '=', 1).execute();
}

/** Returns the position up to which events have their deliveries; null if there are no webhooks. */
export async function fanOutPlace(queries: Queries, dialect: Dialect): Promise<EventPosition | null> {
  if (!(await hasWebhooks(queries, dialect))) return null;
  const row = await queries.selectFrom('fan_out').select('position').where('id', '=', 1).executeTakeFirst();
  return row?.position ?? 0;
}

const hasWebhooks = async (queries: Queries, { noId }: Dialect): Promise<boolean> =>
  (await queries.selectFrom('webhooks').select('id').where('id', '>', noId).limit(1).executeTakeFirst()) !== undefined;

/** Locks the position of fan-out. Inserts its row first, because a missing row can't be locked. */
export async function lockPlace(transaction: Queries): Promise<EventPosition> {
  await transaction
    .insertInto('fan_out')
    .values({ id: 1, position: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = transaction.selectFrom('fan_out').select('position').where('id', '=', 1).forUpdate();
  return (await row.executeTakeFirstOrThrow()).position;
}
