import type { LibraryEvent } from '../events/event.ts';
import type { IdempotencyCompletion } from '../idempotency/idempotency-repository.ts';
import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { Attempt, Delivery } from './delivery.ts';
import type { DisabledReason, Webhook, WebhookSecretsKept } from './webhook.ts';

export type WebhookChange = Partial<Pick<Webhook, 'url' | 'types' | 'enabled'>>;

export interface WebhookRepository {
  /**
   * Inserts a webhook, which receives events from then on.
   *
   * @returns `full` if the workspace already has {@link MAX_WEBHOOKS}, `gone` if the workspace no longer exists; in both
   *   cases, nothing is inserted
   */
  insert(webhook: Webhook, secret: Uint8Array, completion?: IdempotencyCompletion): Promise<'kept' | 'full' | 'gone'>;
  find(id: Uuid): Promise<Webhook | null>;
  /** Lists webhooks newest first. */
  list(workspaceId: Uuid, slice: Slice): Promise<Rows<Webhook>>;
  /**
   * Changes a webhook; returns null if it no longer exists. Enabling it clears why it was disabled and how long it has
   * failed.
   */
  update(id: Uuid, change: WebhookChange, now: number): Promise<Webhook | null>;
  /** Deletes a webhook with its deliveries; if there are many, `prune` deletes the rest. */
  delete(id: Uuid, now: number): Promise<boolean>;
  /** Sets a new secret; the previous one also signs until `overlapUntil`. */
  rotate(
    id: Uuid,
    secret: Uint8Array,
    overlapUntil: number,
    now: number,
    complete?: (rotated: Webhook) => IdempotencyCompletion,
  ): Promise<Webhook | null>;
  /** Returns the number of webhooks in all workspaces. */
  count(): Promise<number>;
}

export interface DueDelivery {
  readonly delivery: Delivery;
  readonly webhook: Webhook;
  readonly secrets: WebhookSecretsKept;
  readonly payload: string;
  /** The time since which every attempt has failed; null if the last attempt succeeded or there was none. */
  readonly failingSince: number | null;
}

/**
 * The result of an attempt. `nextAttemptAt` is null if there is no further attempt. `disable` is the reason why the
 * webhook has to be disabled; null if it stays enabled.
 */
export interface DeliveryOutcome {
  readonly attempt: Attempt;
  readonly nextAttemptAt: number | null;
  readonly disable: DisabledReason | null;
  readonly now: number;
}

interface DeliveryMaker {
  newId(): Uuid;
  payloadOf(event: LibraryEvent): string;
}

/**
 * Stores deliveries. A webhook's deliveries are sent oldest first. Each webhook with waiting deliveries has one job, so
 * only one of its deliveries is in progress at a time.
 */
export interface DeliveryRepository {
  /**
   * Makes the deliveries of the next events for each enabled webhook that subscribes to them. The position of the last
   * handled event is stored in the same transaction, so each delivery is made only once, even with concurrent callers.
   *
   * @param limit maximum number of events; the call stops earlier after some thousand deliveries
   * @param make.payloadOf returns less than 20 KB (docs/webhooks.md)
   * @returns how many events there were; 0 if there are no more
   */
  fanOut(limit: number, make: DeliveryMaker, now: number): Promise<number>;
  /**
   * Adds a delivery for one webhook, whatever types it subscribes to. Returns false if the webhook no longer exists.
   */
  add(delivery: Delivery, payload: string, completion?: IdempotencyCompletion): Promise<boolean>;
  /**
   * Returns the webhook's due delivery that has waited longest; null if no delivery is due or the webhook is disabled.
   */
  next(webhookId: Uuid, now: number): Promise<DueDelivery | null>;
  /**
   * Stores the result of an attempt, and puts the webhook's job back behind the workspace's other jobs; the job then
   * continues with the next delivery. Does nothing if the owner doesn't hold the job.
   */
  finish(delivery: Pick<Delivery, 'id' | 'webhookId'>, owner: string, outcome: DeliveryOutcome): Promise<void>;
  /** Puts the webhook's job back as {@link finish} does, without storing an attempt. */
  putBack(webhookId: Uuid, owner: string, now: number): Promise<void>;
  /** Makes all waiting deliveries of a webhook due at `now`. */
  hasten(webhookId: Uuid, now: number): Promise<void>;
  find(id: Uuid): Promise<Delivery | null>;
  /** Lists deliveries newest first. */
  list(webhookId: Uuid, slice: Slice): Promise<Rows<Delivery>>;
  /** Makes a delivery due immediately, with the full number of attempts. Returns null if it no longer exists. */
  redeliver(
    id: Uuid,
    now: number,
    complete?: (redelivered: Delivery) => IdempotencyCompletion,
  ): Promise<Delivery | null>;
  /**
   * Prunes deliveries that ended before an instant, pending deliveries of disabled webhooks that were made before the
   * instant, and all deliveries of deleted webhooks.
   *
   * @returns how many were pruned; fewer than `limit` only if no more are left
   */
  prune(before: number, limit: number): Promise<number>;
  /** Returns the number of pending deliveries, and when the oldest was made (null if there are none). */
  depth(): Promise<{ readonly pending: number; readonly oldest: number | null }>;
}
