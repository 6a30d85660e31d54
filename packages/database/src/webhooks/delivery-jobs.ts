import type { Delivery, DeliveryOutcome, DueDelivery, Uuid } from '@postshelf/domain';
import { addJobs, completeJob, deleteJobs, lockJob, releaseJob } from '../jobs/jobs.ts';
import type { Queries } from '../store/dialect.ts';
import type { WebhookRow } from '../store/tables.ts';
import { deliveryFromRow, secretsFromRow, webhookFromRow } from './webhook-rows.ts';

/** Locks a webhook before its deliveries and its job are changed; undefined if there is none. */
export const lockWebhook = (transaction: Queries, id: Uuid): Promise<WebhookRow | undefined> =>
  transaction
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Adds a job for a locked webhook that has pending deliveries; removes the job if the webhook is disabled. */
export async function keepDeliveryJob(
  transaction: Queries,
  { id, workspace_id, enabled }: Pick<WebhookRow, 'id' | 'workspace_id' | 'enabled'>,
): Promise<void> {
  // A leased job is kept, because the running attempt ends it.
  if (enabled === 0) return endFreeJob(transaction, id);
  const next = await nextAttempt(transaction, id);
  if (next !== null) await addDeliveryJobs(transaction, [{ id, workspace_id }], next);
}

/** Adds jobs for webhooks with new deliveries. The webhooks must be ordered by workspace. */
export const addDeliveryJobs = (
  transaction: Queries,
  webhooks: readonly Pick<WebhookRow, 'id' | 'workspace_id'>[],
  dueAt: number,
): Promise<void> =>
  addJobs(
    transaction,
    webhooks.map(({ id, workspace_id }) => ({
      kind: 'delivery',
      subjectId: id,
      workspaceId: workspace_id,
      payload: null,
    })),
    { dueAt },
    dueAt,
  );

/** Makes all pending deliveries of a webhook due at `now`. */
export async function hastenDeliveries(transaction: Queries, webhookId: Uuid, now: number): Promise<void> {
  const webhook = await lockWebhook(transaction, webhookId);
  if (!webhook) return;
  await transaction
    .updateTable('webhook_deliveries')
    .set({ next_attempt_at: now })
    .where('webhook_id', '=', webhookId)
    .where('next_attempt_at', '>', now)
    .execute();
  await keepDeliveryJob(transaction, webhook);
}

/** Ends the delivery jobs of webhooks, even if the jobs are leased. */
export const endDeliveryJobs = (transaction: Queries, webhookIds: readonly Uuid[]): Promise<void> =>
  deleteJobs(transaction, 'delivery', webhookIds);

async function endFreeJob(transaction: Queries, id: Uuid): Promise<void> {
  await transaction
    .deleteFrom('jobs')
    .where('kind', '=', 'delivery')
    .where('subject_id', '=', id)
    .where('lease_owner', 'is', null)
    .execute();
}

const waiting = (queries: Queries, webhookId: Uuid) =>
  queries
    .selectFrom('webhook_deliveries')
    .where('webhook_id', '=', webhookId)
    .where('next_attempt_at', 'is not', null)
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(1);

async function nextAttempt(queries: Queries, webhookId: Uuid): Promise<number | null> {
  const row = await waiting(queries, webhookId).select('next_attempt_at').executeTakeFirst();
  return row?.next_attempt_at ?? null;
}

export async function nextDelivery(queries: Queries, webhookId: Uuid, now: number): Promise<DueDelivery | null> {
  const webhooks = queries.selectFrom('webhooks').selectAll().where('id', '=', webhookId);
  const webhook = await webhooks.where('enabled', '=', 1).executeTakeFirst();
  if (!webhook) return null;
  const row = await waiting(queries, webhookId).selectAll().where('next_attempt_at', '<=', now).executeTakeFirst();
  if (!row) return null;
  return {
    delivery: deliveryFromRow(row),
    webhook: webhookFromRow(webhook),
    secrets: secretsFromRow(webhook),
    payload: row.payload,
    failingSince: webhook.failing_since,
  };
}

export async function finishDelivery(
  transaction: Queries,
  { id, webhookId }: Pick<Delivery, 'id' | 'webhookId'>,
  owner: string,
  { attempt, nextAttemptAt, disable, now }: DeliveryOutcome,
): Promise<void> {
  const webhook = await lockWebhook(transaction, webhookId);
  if (!webhook || !(await lockJob(transaction, { kind: 'delivery', subjectId: webhookId }, owner))) return;
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
    failing_since: attempt.ok ? null : (webhook.failing_since ?? now),
    ...(disable !== null &&
      webhook.enabled === 1 &&
      ({ enabled: 0, disabled_reason: disable, updated_at: now } as const)),
  };
  await transaction.updateTable('webhooks').set(changes).where('id', '=', webhookId).execute();
  await releaseOrEnd(transaction, { ...webhook, ...changes }, owner, now);
}

export async function putBackDelivery(
  transaction: Queries,
  webhookId: Uuid,
  owner: string,
  now: number,
): Promise<void> {
  const webhook = await lockWebhook(transaction, webhookId);
  // The job is locked before the deliveries are read, so that a delivery that `fanOut` has just made isn't missed.
  if (!webhook || !(await lockJob(transaction, { kind: 'delivery', subjectId: webhookId }, owner))) return;
  await releaseOrEnd(transaction, webhook, owner, now);
}

/**
 * Releases the job, and makes it due with the next delivery, but at `now` at the earliest, so that the workspace's
 * other webhooks get their turn first. Ends the job if there is no further delivery.
 */
async function releaseOrEnd(transaction: Queries, webhook: WebhookRow, owner: string, now: number): Promise<void> {
  const key = { kind: 'delivery', subjectId: webhook.id } as const;
  const next = webhook.enabled === 0 ? null : await nextAttempt(transaction, webhook.id);
  if (next === null) await completeJob(transaction, key, owner);
  else await releaseJob(transaction, key, owner, { dueAt: Math.max(next, now), attempts: 0, claims: 0, reason: null });
}
