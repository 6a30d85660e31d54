import type { Uuid } from '@postshelf/domain';
import type { Dialect, Queries } from '../store/dialect.ts';
import type { WebhookRow } from '../store/tables.ts';
import { endDeliveryJobs, lockWebhook } from './delivery-jobs.ts';

/**
 * Maximum number of deliveries that are deleted in the transaction that removes their webhook. A webhook may have more
 * deliveries than one transaction should delete.
 */
const FEW_DELIVERIES = 1000;

const REMOVED: Partial<WebhookRow> = { enabled: 0, disabled_reason: null };

/** Marks a webhook as removed, so that it is no longer found; `removeLeftovers` deletes the remaining rows. */
export async function removeWebhook(transaction: Queries, dialect: Dialect, id: Uuid, now: number): Promise<boolean> {
  const webhook = await transaction
    .selectFrom('webhooks')
    .select('workspace_id')
    .where('id', '=', id)
    .executeTakeFirst();
  if (!webhook) return false;
  await dialect.lock(transaction, 'webhooks', [webhook.workspace_id]);
  const row = await lockWebhook(transaction, id);
  if (!row) return false;
  await transaction
    .updateTable('webhooks')
    .set({ ...REMOVED, removed_at: now })
    .where('id', '=', id)
    .execute();
  await endDeliveryJobs(transaction, [id]);
  await removeSome(transaction, [id], FEW_DELIVERIES);
  return true;
}

/** Deletes some rows of removed webhooks. @returns how many rows were deleted */
export async function removeLeftovers(transaction: Queries, dialect: Dialect, limit: number): Promise<number> {
  const removed = transaction.selectFrom('webhooks').select(['id', 'workspace_id']).where('removed_at', 'is not', null);
  const rows = await removed.orderBy('removed_at').limit(limit).execute();
  await dialect.lock(
    transaction,
    'webhooks',
    rows.map((row) => row.workspace_id),
  );
  return removeSome(
    transaction,
    rows.map((row) => row.id),
    limit,
  );
}

/** Disables the webhooks of a workspace that is being removed. */
export async function disableWebhooksOf(transaction: Queries, dialect: Dialect, workspaceId: Uuid): Promise<void> {
  await dialect.lock(transaction, 'webhooks', [workspaceId]);
  await transaction.updateTable('webhooks').set(REMOVED).where('workspace_id', '=', workspaceId).execute();
  await transaction.deleteFrom('jobs').where('kind', '=', 'delivery').where('workspace_id', '=', workspaceId).execute();
}

/** Deletes some webhook rows of a workspace. Returns how many; 0 if there are none left. */
export async function removeWebhooksOf(
  transaction: Queries,
  dialect: Dialect,
  workspaceId: Uuid,
  limit: number,
): Promise<number> {
  await dialect.lock(transaction, 'webhooks', [workspaceId]);
  const webhooks = transaction.selectFrom('webhooks').select('id').where('workspace_id', '=', workspaceId);
  const rows = await webhooks.limit(limit).execute();
  const ids = rows.map((row) => row.id);
  return removeSome(transaction, ids, limit);
}

/** Deletes deliveries of webhooks, and the webhooks once they have none. */
async function removeSome(transaction: Queries, ids: readonly Uuid[], limit: number): Promise<number> {
  if (ids.length === 0) return 0;
  const some = transaction.selectFrom('webhook_deliveries').select('id').where('webhook_id', 'in', ids).limit(limit);
  const deliveries = await transaction.deleteFrom('webhook_deliveries').where('id', 'in', some).executeTakeFirst();
  if (Number(deliveries.numDeletedRows) === limit) return limit;
  const webhooks = await transaction.deleteFrom('webhooks').where('id', 'in', ids).executeTakeFirst();
  return Number(deliveries.numDeletedRows + webhooks.numDeletedRows);
}
