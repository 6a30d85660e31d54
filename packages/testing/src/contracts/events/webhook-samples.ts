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
  if (!(await stores.deliveries.add(delivery, '{}'))) throw new Error('The webhook of a sample delivery is gone.');
  return delivery;
}

export const claim = (
  stores: Stores,
  owner = 'owner',
  now = NOW,
  without: readonly Uuid[] = [],
): Promise<DueDelivery | null> => stores.deliveries.claim({ now, lease: { owner, until: now + LEASE }, without });

export const OK: Attempt = { ok: true, status: 204 };
export const NO: Attempt = { ok: false, status: 500, error: 'status' };

export const outcome = (attempt: Attempt, details: Partial<DeliveryOutcome> = {}): DeliveryOutcome => ({
  attempt,
  nextAttemptAt: null,
  disable: null,
  now: NOW,
  ...details,
});

/** Claims what is due, one after the other, and delivers it; returns what was delivered, in order. */
export async function deliverAll(stores: Stores, now = NOW): Promise<readonly DueDelivery[]> {
  const delivered: DueDelivery[] = [];
  for (let due = await claim(stores, 'owner', now); due !== null; due = await claim(stores, 'owner', now)) {
    delivered.push(due);
    await stores.deliveries.finish(due.delivery.id, 'owner', outcome(OK, { now }));
  }
  return delivered;
}
