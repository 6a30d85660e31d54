import { MAX_WEBHOOKS, type Uuid, type WebhookRepository } from '@postshelf/domain';
import { beginFanOut } from '../events/fan-out-place.ts';
import { completeWithin } from '../idempotency/complete.ts';
import { countOf } from '../store/count.ts';
import type { Queries } from '../store/dialect.ts';
import { pageNewestFirst } from '../store/paging.ts';
import { lockWorkspace } from '../store/row-locks.ts';
import type { Store } from '../store/store.ts';
import type { WebhookRow } from '../store/tables.ts';
import { keepDeliveryJob, lockWebhook } from './delivery-jobs.ts';
import { removeWebhook } from './remove-webhooks.ts';
import { typesToText, webhookFromRow, webhookToRow } from './webhook-rows.ts';

export function webhookRepository(store: Store): WebhookRepository {
  const { newest, places } = store.dialect.outbox;
  return {
    async insert(webhook, secret, completion) {
      if (places) await store.write((transaction) => places.giveAll(transaction));
      const after = await store.read(newest);
      return store.write(async (transaction) => {
        const { workspaceId } = webhook;
        await beginFanOut(transaction, store.dialect, after);
        // The workspace is locked before its webhooks, as the removal of a workspace does, so that the two can't
        // deadlock.
        if (!(await lockWorkspace(transaction, workspaceId))) return 'gone';
        await store.dialect.lock(transaction, 'webhooks', [workspaceId]);
        const others = transaction.selectFrom('webhooks').where('workspace_id', '=', workspaceId);
        if ((await countOf(others.where('removed_at', 'is', null))) >= MAX_WEBHOOKS) return 'full';
        await transaction
          .insertInto('webhooks')
          .values(webhookToRow(webhook, secret, after))
          .execute();
        if (completion) await completeWithin(transaction, completion);
        return 'kept';
      });
    },

    async find(id) {
      const row = await store.read((queries) =>
        queries
          .selectFrom('webhooks')
          .selectAll()
          .where('id', '=', id)
          .where('removed_at', 'is', null)
          .executeTakeFirst(),
      );
      return row ? webhookFromRow(row) : null;
    },

    list: (workspaceId, slice) =>
      store.read((snapshot) => {
        const webhooks = snapshot
          .selectFrom('webhooks')
          .where('workspace_id', '=', workspaceId)
          .where('removed_at', 'is', null);
        return pageNewestFirst(webhooks.selectAll(), 'created_at', slice, webhookFromRow);
      }),

    update: (id, { url, types, enabled }, now) =>
      store.write(async (transaction) => {
        const row = await lockWebhook(transaction, id);
        if (!row) return null;
        const changes = {
          updated_at: now,
          ...(url !== undefined && { url }),
          ...(types !== undefined && { types: typesToText(types) }),
          ...(enabled === false && row.enabled === 1 && ({ enabled: 0 } as const)),
          ...(enabled === true && ({ enabled: 1, disabled_reason: null, failing_since: null } as const)),
        };
        const changed = await change(transaction, id, changes);
        await keepDeliveryJob(transaction, changed);
        return webhookFromRow(changed);
      }),

    delete: (id, now) => store.write((transaction) => removeWebhook(transaction, store.dialect, id, now)),

    rotate: (id, secret, overlapUntil, now, complete) =>
      store.write(async (transaction) => {
        const row = await lockWebhook(transaction, id);
        if (!row) return null;
        const changes = { secret, previous_secret: row.secret, previous_until: overlapUntil, updated_at: now };
        const rotated = webhookFromRow(await change(transaction, id, changes));
        if (complete) await completeWithin(transaction, complete(rotated));
        return rotated;
      }),

    count: () => store.read((queries) => countOf(queries.selectFrom('webhooks').where('removed_at', 'is', null))),
  };
}

const change = (transaction: Queries, id: Uuid, changes: Partial<WebhookRow>): Promise<WebhookRow> =>
  transaction.updateTable('webhooks').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
