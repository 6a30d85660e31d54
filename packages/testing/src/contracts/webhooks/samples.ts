import type { Attempt, Delivery, DeliveryOutcome, DueDelivery, Uuid, Webhook } from '@postshelf/domain';
import { addWorkspace, NOW, newId } from '../samples.ts';
import type { Stores } from '../stores.ts';

export const LEASE = 60_000;

export const secretOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));

export const sampleWebhook = (workspaceId: Uuid, details: Partial<Webhook> = {}): Webhook => ({
  id: newId(),
  workspaceId,
  url: 'https://hooks.example/in',
  types: null,
  enabled: true,
  disabledReason: null,
  createdAt: NOW,
  updatedAt: NOW,
  ...details,
});

/** Inserts a webhook, by default into a new workspace. */
export async function addWebhook(stores: Stores, workspaceId?: Uuid, details: Partial<Webhook> = {}): Promise<Webhook> {
  const webhook = sampleWebhook(workspaceId ?? (await addWorkspace(stores)).id, details);
  const kept = await stores.webhooks.insert(webhook, secretOf('secret'));
  if (kept !== 'kept') throw new Error('A sample webhook was refused.');
  return webhook;
}

export const sampleDelivery = (webhook: Webhook, at = NOW): Delivery => ({
  id: newId(),
  webhookId: webhook.id,
  workspaceId: webhook.workspaceId,
  event: { id: newId(), type: 'webhook.test' },
  status: 'pending',
  attempts: 0,
  nextAttemptAt: at,
  lastStatus: null,
  lastError: null,
  createdAt: at,
});

export async function addDelivery(stores: Stores, webhook: Webhook, at = NOW): Promise<Delivery> {
  const delivery = sampleDelivery(webhook, at);
  if (!(await stores.deliveries.add(delivery, '{}'))) throw new Error('The webhook of a sample delivery was removed.');
  return delivery;
}

/**
 * Claims the job of a webhook, by default at `NOW`, and returns the webhook's next due delivery; null if no webhook has
 * a due delivery.
 */
export async function claim(stores: Stores, owner = 'owner', now = NOW): Promise<DueDelivery | null> {
  const lease = { owner, until: now + LEASE };
  const rules = { batch: 1, order: 'oldest' } as const;
  for (;;) {
    const [job] = await stores.jobs.claim({ kind: 'delivery', rules, now, lease, perWorkspace: null, without: [] });
    if (!job) return null;
    const due = await stores.deliveries.next(job.subjectId, now);
    if (due !== null) return due;
    await stores.deliveries.putBack(job.subjectId, owner, now);
  }
}

export const OK: Attempt = { ok: true, status: 204 };
export const NO: Attempt = { ok: false, status: 500, error: 'status' };

export const outcome = (attempt: Attempt, details: Partial<DeliveryOutcome> = {}): DeliveryOutcome => ({
  attempt,
  nextAttemptAt: null,
  disable: null,
  now: NOW,
  ...details,
});

/**
 * Claims and delivers everything that is due: the first delivery at the given time, and each further one a millisecond
 * later. Returns the deliveries in this order.
 */
export async function deliverAll(stores: Stores, from = NOW, owner = 'owner'): Promise<readonly DueDelivery[]> {
  const delivered: DueDelivery[] = [];
  for (let now = from; ; now += 1) {
    const due = await claim(stores, owner, now);
    if (due === null) return delivered;
    delivered.push(due);
    await stores.deliveries.finish(due.delivery, owner, outcome(OK, { now }));
  }
}
