import type { DeliveryOutcome, DeliveryQueue, DueDelivery, Uuid } from '@postshelf/domain';
import type { Dialect, Queries } from '../store/dialect.ts';
import type { DeliveryRow, WebhookRow } from '../store/tables.ts';
import { deliveryFromRow, IDLE, secretsFromRow, webhookFromRow } from './webhook-rows.ts';
import { changeWebhook, nextDue, takeTurns } from './webhook-turns.ts';

/** Deliveries are changed under the lock of their webhook only, which has the lease of the one under way. */
export async function claimDelivery(
  transaction: Queries,
  dialect: Dialect,
  { now, lease, without }: Parameters<DeliveryQueue['claim']>[0],
): Promise<DueDelivery | null> {
  await takeTurns(transaction, dialect, now);
  for (;;) {
    const webhook = await nextInTurn(transaction, without);
    if (!webhook) return null;
    const row = await nextDue(transaction, webhook.id)
      .selectAll()
      .where('next_attempt_at', '<=', now)
      .executeTakeFirst();
    if (row) {
      await transaction
        .updateTable('webhooks')
        .set({ turn: null, due_at: lease.until, under_way: row.id, lease_owner: lease.owner, lease_until: lease.until })
        .where('id', '=', webhook.id)
        .execute();
      return dueFromRows(row, webhook);
    }
    // It got its turn from a clock that is ahead of this one.
    await changeWebhook(transaction, { ...webhook, turn: null }, {}, now);
  }
}

export async function finishDelivery(
  transaction: Queries,
  id: Uuid,
  owner: string,
  { attempt, nextAttemptAt, disable, now }: DeliveryOutcome,
): Promise<void> {
  const webhook = await lockLeased(transaction, id, owner);
  if (!webhook) return;
  const next = attempt.ok ? null : nextAttemptAt;
  await transaction
    .updateTable('webhook_deliveries')
    .set((eb) => ({
      status: attempt.ok ? 'delivered' : next === null ? 'failed' : 'pending',
      attempts: eb('attempts', '+', 1),
      next_attempt_at: next,
      last_status: attempt.status,
      last_error: attempt.ok ? null : attempt.error,
      ended_at: next === null ? now : null,
    }))
    .where('id', '=', id)
    .execute();
  const changes = {
    ...IDLE,
    failing_since: attempt.ok ? null : (webhook.failing_since ?? now),
    ...(disable !== null &&
      webhook.enabled === 1 &&
      ({ enabled: 0, disabled_reason: disable, updated_at: now } as const)),
  };
  await changeWebhook(transaction, webhook, changes, now);
}

export async function releaseDelivery(transaction: Queries, id: Uuid, owner: string, freeAt: number): Promise<void> {
  const webhook = await lockLeased(transaction, id, owner);
  if (!webhook) return;
  await transaction.updateTable('webhook_deliveries').set({ next_attempt_at: freeAt }).where('id', '=', id).execute();
  // The next claim gives it a turn, if it is due by then.
  await changeWebhook(transaction, webhook, IDLE, Number.NEGATIVE_INFINITY);
}

const nextInTurn = (transaction: Queries, without: readonly Uuid[]): Promise<WebhookRow | undefined> =>
  transaction
    .selectFrom('webhooks')
    .selectAll()
    .where('turn', 'is not', null)
    .$if(without.length > 0, (query) => query.where('workspace_id', 'not in', without))
    .orderBy('turn')
    .orderBy('id')
    .limit(1)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst();

const lockLeased = (transaction: Queries, deliveryId: Uuid, owner: string): Promise<WebhookRow | undefined> =>
  transaction
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', (eb) => eb.selectFrom('webhook_deliveries').select('webhook_id').where('id', '=', deliveryId))
    .where('under_way', '=', deliveryId)
    .where('lease_owner', '=', owner)
    .forNoKeyUpdate()
    .executeTakeFirst();

const dueFromRows = (row: DeliveryRow, webhook: WebhookRow): DueDelivery => ({
  delivery: deliveryFromRow(row),
  webhook: webhookFromRow(webhook),
  secrets: secretsFromRow(webhook),
  payload: row.payload,
  failingSince: webhook.failing_since,
});
