import type { Dialect, Queries } from '../store/dialect.ts';
import { removeLeftOvers } from './remove-webhooks.ts';

/** Deletes some old deliveries. @returns how many rows were deleted */
export async function pruneDeliveries(
  transaction: Queries,
  dialect: Dialect,
  before: number,
  limit: number,
): Promise<number> {
  const removed = await removeLeftOvers(transaction, dialect, limit);
  if (removed > 0) return removed;
  const ended = transaction.selectFrom('webhook_deliveries').select('id').where('ended_at', '<', before);
  const { numDeletedRows } = await transaction
    .deleteFrom('webhook_deliveries')
    .where('id', 'in', ended.orderBy('ended_at').limit(limit))
    // Checked again, as some may have been redelivered meanwhile.
    .where('ended_at', '<', before)
    .executeTakeFirst();
  return numDeletedRows > 0n ? Number(numDeletedRows) : pruneWaiting(transaction, before, limit);
}

/** Deletes deliveries that have waited too long for a disabled webhook. */
async function pruneWaiting(transaction: Queries, before: number, limit: number): Promise<number> {
  const waiting = transaction
    .selectFrom('webhook_deliveries')
    .select('webhook_deliveries.id')
    .where('next_attempt_at', 'is not', null)
    .where('webhook_deliveries.created_at', '<', before)
    // No join, as PostgreSQL might then read all webhooks.
    .where((eb) => eb(eb.selectFrom('webhooks').select('enabled').whereRef('webhooks.id', '=', 'webhook_id'), '=', 0));
  const { numDeletedRows } = await transaction
    .deleteFrom('webhook_deliveries')
    .where('id', 'in', waiting.limit(limit))
    .executeTakeFirst();
  return Number(numDeletedRows);
}
