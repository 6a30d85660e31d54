import type { EventPosition } from '@postshelf/domain';
import type { Dialect, Queries } from '../store/dialect.ts';

/**
 * Before a webhook is inserted. Without any, nothing keeps the place up to date, nor events from being pruned behind it.
 *
 * @param newest the new webhook is told of later events only
 */
export async function beginFanOut(transaction: Queries, dialect: Dialect, newest: EventPosition): Promise<void> {
  const place = await lockPlace(transaction);
  if (place >= newest || (await hasWebhooks(transaction, dialect))) return;
  await transaction.updateTable('fan_out').set({ position: newest }).where('id', '=', 1).execute();
}

/** Up to which there are deliveries of events; null if there are no webhooks that wait for any. */
export async function fanOutPlace(queries: Queries, dialect: Dialect): Promise<EventPosition | null> {
  if (!(await hasWebhooks(queries, dialect))) return null;
  const row = await queries.selectFrom('fan_out').select('position').where('id', '=', 1).executeTakeFirst();
  return row?.position ?? 0;
}

const hasWebhooks = async (queries: Queries, { noId }: Dialect): Promise<boolean> =>
  (await queries.selectFrom('webhooks').select('id').where('id', '>', noId).limit(1).executeTakeFirst()) !== undefined;

/** Two transactions can't both lock nothing. */
export async function lockPlace(transaction: Queries): Promise<EventPosition> {
  await transaction
    .insertInto('fan_out')
    .values({ id: 1, position: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = transaction.selectFrom('fan_out').select('position').where('id', '=', 1).forUpdate();
  return (await row.executeTakeFirstOrThrow()).position;
}
