import type { Uuid } from '@postshelf/domain';
import { sql } from 'kysely';
import type { Dialect, Queries } from '../store/dialect.ts';
import { turnOfNewJob } from '../store/queue-turns.ts';
import type { WebhookRow } from '../store/tables.ts';
import { IDLE } from './webhook-rows.ts';

/** See the migration. */
type Place = Partial<Pick<WebhookRow, keyof typeof IDLE>>;

/** By a claim, to find workspaces with webhooks that have become due; each of them may have a thousand. */
const LOOKED_AT = 10;

/** Locks a webhook before its deliveries are changed; undefined if there is none. */
export const lockWebhook = (transaction: Queries, id: Uuid): Promise<WebhookRow | undefined> =>
  transaction
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();

export const nextDue = (transaction: Queries, webhookId: Uuid) =>
  transaction
    .selectFrom('webhook_deliveries')
    .where('webhook_id', '=', webhookId)
    .where('next_attempt_at', 'is not', null)
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(1);

/** Writes changes of a locked webhook, and when its next delivery may be claimed after them. */
export async function changeWebhook(
  transaction: Queries,
  before: WebhookRow,
  changes: Partial<WebhookRow>,
  now: number,
): Promise<WebhookRow> {
  const after = { ...before, ...changes };
  return transaction
    .updateTable('webhooks')
    .set({ ...changes, ...(await placeOf(transaction, after, now)) })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function placeOf(transaction: Queries, webhook: WebhookRow, now: number): Promise<Place> {
  // A delivery under way may still be finished.
  if (webhook.enabled === 0) return { turn: null, due_at: null };
  if (webhook.turn !== null) return { turn: webhook.turn };
  if (webhook.lease_until !== null && webhook.lease_until > now) return { due_at: webhook.lease_until };
  const next = await nextDue(transaction, webhook.id).select('next_attempt_at').executeTakeFirst();
  const due_at = next?.next_attempt_at ?? null;
  if (due_at === null || due_at > now) return { ...IDLE, due_at };
  return { ...IDLE, due_at, turn: await turnOfNewJob(transaction, 'webhooks', webhook.workspace_id) };
}

/** Gives turns to webhooks of which a delivery has become due, or a lease has expired. */
export async function takeTurns(transaction: Queries, dialect: Dialect, now: number): Promise<void> {
  const due = await transaction
    .selectFrom('webhooks')
    .select('workspace_id')
    .where('turn', 'is', null)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(LOOKED_AT)
    .execute();
  const workspaceIds = [...new Set(due.map((row) => row.workspace_id))];
  await dialect.lock(transaction, 'webhooks', workspaceIds);
  for (const id of workspaceIds) await giveTurns(transaction, id, now);
}

/** The caller has locked the workspace's `webhooks`. */
export async function giveTurns(transaction: Queries, workspaceId: Uuid, now: number): Promise<void> {
  const first = await turnOfNewJob(transaction, 'webhooks', workspaceId);
  await transaction
    .updateTable('webhooks')
    .from((eb) =>
      eb
        .selectFrom('webhooks')
        .select(['id', sql<number>`row_number() over (order by due_at, id)`.as('number')])
        .where('workspace_id', '=', workspaceId)
        .where('turn', 'is', null)
        .where('due_at', '<=', now)
        .as('due'),
    )
    .set((eb) => ({ ...IDLE, due_at: eb.ref('webhooks.due_at'), turn: eb('due.number', '+', first - 1) }))
    .whereRef('webhooks.id', '=', 'due.id')
    // Not those that were claimed or disabled meanwhile.
    .where('webhooks.turn', 'is', null)
    .where('webhooks.due_at', '<=', now)
    .execute();
}
