import type { DeliveryQueue, EventRepository } from '@postshelf/domain';
import { completeWithin } from '../repeats/complete.ts';
import type { Queries } from '../store/dialect.ts';
import { depthOf } from '../store/queue-turns.ts';
import type { Store } from '../store/store.ts';
import { claimDelivery, finishDelivery, releaseDelivery } from './claim-deliveries.ts';
import { listDeliveries, listFewDeliveries } from './delivery-list.ts';
import { fanOut } from './fan-out.ts';
import { pruneDeliveries } from './prune-deliveries.ts';
import { DELIVERY_COLUMNS, deliveryFromRow, deliveryToRow } from './webhook-rows.ts';
import { changeWebhook, lockWebhook } from './webhook-turns.ts';

export function deliveryQueue(store: Store, events: Pick<EventRepository, 'listAfter'>): DeliveryQueue {
  return {
    fanOut: fanOut(store, events),

    add: (delivery, payload, completion) =>
      store.write(async (transaction) => {
        const webhook = await lockWebhook(transaction, delivery.webhookId);
        if (!webhook) return false;
        await transaction.insertInto('webhook_deliveries').values(deliveryToRow(delivery, payload)).execute();
        await changeWebhook(transaction, webhook, {}, delivery.createdAt);
        if (completion) await completeWithin(transaction, completion);
        return true;
      }),

    claim: (request) => store.write((transaction) => claimDelivery(transaction, store.dialect, request)),

    finish: (id, owner, outcome) => store.write((transaction) => finishDelivery(transaction, id, owner, outcome)),

    release: (id, owner, freeAt) => store.write((transaction) => releaseDelivery(transaction, id, owner, freeAt)),

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
        await changeWebhook(transaction, webhook, {}, now);
        const redelivered = deliveryFromRow(row);
        if (complete) await completeWithin(transaction, complete(redelivered));
        return redelivered;
      }),

    prune: (before, limit) => store.write((transaction) => pruneDeliveries(transaction, store.dialect, before, limit)),

    async depth() {
      const { jobs, oldest } = await depthOf(store, 'webhook_deliveries');
      return { pending: jobs, oldest };
    },
  };
}

/** Not those of webhooks that were removed. */
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
