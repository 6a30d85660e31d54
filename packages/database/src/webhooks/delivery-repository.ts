import type { DeliveryRepository, EventRepository } from '@postshelf/domain';
import { completeWithin } from '../idempotency/complete.ts';
import { FEW_ROWS } from '../store/count.ts';
import type { Dialect, Queries } from '../store/dialect.ts';
import type { Scan, Store } from '../store/store.ts';
import {
  finishDelivery,
  hastenDeliveries,
  keepDeliveryJob,
  lockWebhook,
  nextDelivery,
  putBackDelivery,
} from './delivery-jobs.ts';
import { listDeliveries, listFewDeliveries } from './delivery-list.ts';
import { fanOut } from './fan-out.ts';
import { removeLeftovers } from './remove-webhooks.ts';
import { DELIVERY_COLUMNS, deliveryFromRow, deliveryToRow } from './webhook-rows.ts';

export function deliveryRepository(store: Store, events: Pick<EventRepository, 'listAfter'>): DeliveryRepository {
  return {
    fanOut: fanOut(store, events),

    add: (delivery, payload, completion) =>
      store.write(async (transaction) => {
        const webhook = await lockWebhook(transaction, delivery.webhookId);
        if (!webhook) return false;
        await transaction.insertInto('webhook_deliveries').values(deliveryToRow(delivery, payload)).execute();
        await keepDeliveryJob(transaction, webhook);
        if (completion) await completeWithin(transaction, completion);
        return true;
      }),

    next: (webhookId, now) => store.read((queries) => nextDelivery(queries, webhookId, now)),

    finish: (delivery, owner, outcome) =>
      store.write((transaction) => finishDelivery(transaction, delivery, owner, outcome)),

    putBack: (webhookId, owner, now) =>
      store.write((transaction) => putBackDelivery(transaction, webhookId, owner, now)),

    hasten: (webhookId, now) => store.write((transaction) => hastenDeliveries(transaction, webhookId, now)),

    async find(id) {
      const row = await store.read((queries) => known(queries).where('id', '=', id).executeTakeFirst());
      return row ? deliveryFromRow(row) : null;
    },

    async list(webhookId, slice) {
      const few = await listFewDeliveries(store, webhookId, slice);
      if (few) return few;
      const webhook = await store.read((queries) =>
        queries.selectFrom('webhooks').select('workspace_id').where('id', '=', webhookId).executeTakeFirst(),
      );
      if (!webhook) return { items: [], total: 0 };
      return store.scan(listDeliveries, { workspaceId: webhook.workspace_id }, webhookId, slice);
    },

    redeliver: (id, now, complete) =>
      store.write(async (transaction) => {
        const found = await known(transaction).where('id', '=', id).executeTakeFirst();
        const webhook = found && (await lockWebhook(transaction, found.webhook_id));
        if (!webhook) return null;
        const row = await transaction
          .updateTable('webhook_deliveries')
          .set({ status: 'pending', attempts: 0, next_attempt_at: now, ended_at: null })
          .where('id', '=', id)
          .returning(DELIVERY_COLUMNS)
          .executeTakeFirst();
        if (!row) return null;
        await keepDeliveryJob(transaction, webhook);
        const redelivered = deliveryFromRow(row);
        if (complete) await completeWithin(transaction, complete(redelivered));
        return redelivered;
      }),

    prune: (before, limit) => store.write((transaction) => pruneDeliveries(transaction, store.dialect, before, limit)),

    async depth() {
      const few = await store.read((queries) => countPending(queries, FEW_ROWS + 1));
      if (few.pending <= FEW_ROWS) return few;
      return store.scan(countDeliveries, { workspaceId: store.dialect.noId });
    },
  };
}

/** Counts the pending deliveries of all workspaces. */
export const countDeliveries: Scan<[], Awaited<ReturnType<DeliveryRepository['depth']>>> = {
  name: 'countDeliveries',
  run: ({ read }) => read((queries) => countPending(queries, Number.MAX_SAFE_INTEGER)),
};

async function countPending(queries: Queries, max: number): ReturnType<DeliveryRepository['depth']> {
  const pending = queries
    .selectFrom('webhook_deliveries')
    .select('created_at')
    .where('next_attempt_at', 'is not', null)
    .limit(max);
  const row = await queries
    .selectFrom(pending.as('some'))
    .select((eb) => [eb.fn.countAll().as('pending'), eb.fn.min('some.created_at').as('oldest')])
    .executeTakeFirstOrThrow();
  return { pending: Number(row.pending), oldest: row.oldest === null ? null : Number(row.oldest) };
}

/** Selects deliveries, except deliveries of removed webhooks. */
const known = (queries: Queries) =>
  queries
    .selectFrom('webhook_deliveries')
    .select(DELIVERY_COLUMNS)
    .where('webhook_id', 'in', (eb) =>
      eb
        .selectFrom('webhooks')
        .select('webhooks.id')
        .whereRef('webhooks.id', '=', 'webhook_id')
        .where('removed_at', 'is', null),
    );

/**
 * Deletes some deliveries of removed webhooks and some old ones; fewer than `limit` only if no more are left.
 *
 * @returns how many rows were deleted
 */
async function pruneDeliveries(transaction: Queries, dialect: Dialect, before: number, limit: number): Promise<number> {
  let pruned = await removeLeftovers(transaction, dialect, limit);
  for (const prune of [pruneEnded, pruneWaiting]) {
    if (pruned < limit) pruned += await prune(transaction, before, limit - pruned);
  }
  return pruned;
}

/** Deletes deliveries that ended long ago. */
async function pruneEnded(transaction: Queries, before: number, limit: number): Promise<number> {
  const ended = transaction.selectFrom('webhook_deliveries').select('id').where('ended_at', '<', before);
  const { numDeletedRows } = await transaction
    .deleteFrom('webhook_deliveries')
    .where('id', 'in', ended.orderBy('ended_at').limit(limit))
    // The condition is checked again, because some deliveries may have been redelivered meanwhile.
    .where('ended_at', '<', before)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Deletes deliveries that have waited too long for a disabled webhook. */
async function pruneWaiting(transaction: Queries, before: number, limit: number): Promise<number> {
  const waiting = transaction
    .selectFrom('webhook_deliveries')
    .select('webhook_deliveries.id')
    .where('next_attempt_at', 'is not', null)
    .where('webhook_deliveries.created_at', '<', before)
    // There is no join, because PostgreSQL might then read all webhooks.
    .where((eb) => eb(eb.selectFrom('webhooks').select('enabled').whereRef('webhooks.id', '=', 'webhook_id'), '=', 0));
  const { numDeletedRows } = await transaction
    .deleteFrom('webhook_deliveries')
    .where('id', 'in', waiting.limit(limit))
    .executeTakeFirst();
  return Number(numDeletedRows);
}
