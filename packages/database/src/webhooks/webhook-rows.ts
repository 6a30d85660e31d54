import type { Delivery, EventType, Webhook, WebhookSecretsKept } from '@postshelf/domain';
import type { DeliveryRow, WebhookRow } from '../store/tables.ts';

export const webhookToRow = (webhook: Webhook, secret: Uint8Array, after: number): WebhookRow => ({
  id: webhook.id,
  workspace_id: webhook.workspaceId,
  url: webhook.url,
  types: typesToText(webhook.types),
  enabled: webhook.enabled ? 1 : 0,
  disabled_reason: webhook.disabledReason,
  failing_since: null,
  secret,
  previous_secret: null,
  previous_until: null,
  created_at: webhook.createdAt,
  updated_at: webhook.updatedAt,
  told_after: after,
  removed_at: null,
});

export const webhookFromRow = (row: WebhookRow): Webhook => ({
  id: row.id,
  workspaceId: row.workspace_id,
  url: row.url,
  types: typesFromText(row.types),
  enabled: row.enabled === 1,
  disabledReason: row.disabled_reason,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const secretsFromRow = (row: WebhookRow): WebhookSecretsKept => ({
  current: row.secret,
  previous: row.previous_secret,
  previousUntil: row.previous_until,
});

export const typesToText = (types: Webhook['types']): string | null => (types === null ? null : JSON.stringify(types));

export const typesFromText = (text: string | null): readonly EventType[] | null =>
  text === null ? null : JSON.parse(text);

export const deliveryToRow = (delivery: Delivery, payload: string): DeliveryRow => ({
  id: delivery.id,
  webhook_id: delivery.webhookId,
  workspace_id: delivery.workspaceId,
  event_id: delivery.event.id,
  event_type: delivery.event.type,
  payload,
  status: delivery.status,
  attempts: delivery.attempts,
  next_attempt_at: delivery.nextAttemptAt,
  last_status: delivery.lastStatus,
  last_error: delivery.lastError,
  created_at: delivery.createdAt,
  ended_at: delivery.nextAttemptAt === null ? delivery.createdAt : null,
});

export const deliveryFromRow = (row: Omit<DeliveryRow, 'payload'>): Delivery => ({
  id: row.id,
  webhookId: row.webhook_id,
  workspaceId: row.workspace_id,
  event: { id: row.event_id, type: row.event_type },
  status: row.status,
  attempts: row.attempts,
  nextAttemptAt: row.next_attempt_at,
  lastStatus: row.last_status,
  lastError: row.last_error,
  createdAt: row.created_at,
});

/** The columns that {@link deliveryFromRow} needs, without the payload, which may take 20 KB. */
export const DELIVERY_COLUMNS = [
  'id',
  'webhook_id',
  'workspace_id',
  'event_id',
  'event_type',
  'status',
  'attempts',
  'next_attempt_at',
  'last_status',
  'last_error',
  'created_at',
  'ended_at',
] as const;
