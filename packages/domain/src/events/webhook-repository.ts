import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { Attempt, Delivery } from './delivery.ts';
import type { LibraryEvent } from './event.ts';
import type { DisabledReason, Webhook, WebhookSecretsKept } from './webhook.ts';

export type WebhookChange = Partial<Pick<Webhook, 'url' | 'types' | 'enabled'>>;

export interface WebhookRepository {
  /** Nothing with `full`, beyond {@link MAX_WEBHOOKS}. It is told what happens from then on. */
  insert(webhook: Webhook, secret: Uint8Array, completion?: RepeatCompletion): Promise<'kept' | 'full'>;
  find(id: Uuid): Promise<Webhook | null>;
  /** Newest first. */
  list(workspaceId: Uuid, slice: Slice): Promise<Rows<Webhook>>;
  /** Enabling it forgets why it was disabled, and how long it has failed. null: it is gone. */
  update(id: Uuid, change: WebhookChange, now: number): Promise<Webhook | null>;
  /** With its deliveries, of which `prune` deletes the rest if there are many. */
  remove(id: Uuid, now: number): Promise<boolean>;
  /** The secret before it goes on signing until `overlapUntil`. */
  rotate(
    id: Uuid,
    secret: Uint8Array,
    overlapUntil: number,
    now: number,
    complete?: (rotated: Webhook) => RepeatCompletion,
  ): Promise<Webhook | null>;
  /** Of all workspaces. */
  count(): Promise<number>;
}

export interface DueDelivery {
  readonly delivery: Delivery;
  readonly webhook: Webhook;
  readonly secrets: WebhookSecretsKept;
  readonly payload: string;
  /** Since when nothing but failures came of its tries; null: the last one succeeded, or there was none. */
  readonly failingSince: number | null;
}

/** Written by what happened to it: the try, when the next is (null: none), and whether the webhook is disabled for it. */
export interface DeliveryOutcome {
  readonly attempt: Attempt;
  readonly nextAttemptAt: number | null;
  readonly disable: DisabledReason | null;
  readonly now: number;
}

export interface DeliveryMaker {
  newId(): Uuid;
  payloadOf(event: LibraryEvent): string;
}

/**
 * Deliveries, the oldest of each webhook first. A webhook for which some wait has a job, so that one is under way at a time.
 */
export interface DeliveryRepository {
  /**
   * Makes the deliveries of some events that came after those of the last call, for each enabled webhook that wants
   * them, in one transaction with the place up to which it was done: each is made once, whoever calls.
   *
   * @param limit of events; it stops before, once there are some thousand deliveries
   * @param make.payloadOf at most {@link MAX_PAYLOAD}
   * @returns how many events there were; 0: there are no more
   */
  fanOut(limit: number, make: DeliveryMaker, now: number): Promise<number>;
  /** One more, for one webhook, whatever its types. false: the webhook is gone. */
  add(delivery: Delivery, payload: string, completion?: RepeatCompletion): Promise<boolean>;
  /** The webhook's delivery that is due and has waited longest; null if none is, or it isn't enabled. */
  next(webhookId: Uuid, now: number): Promise<DueDelivery | null>;
  /**
   * Stores what came of a try, and puts the webhook's job back, behind those of the workspace's others: it goes on with its
   * next delivery. Does nothing if the owner doesn't hold the job.
   */
  finish(delivery: Pick<Delivery, 'id' | 'webhookId'>, owner: string, outcome: DeliveryOutcome): Promise<void>;
  /** Puts the webhook's job back as after {@link finish}, without a try. */
  putBack(webhookId: Uuid, owner: string, now: number): Promise<void>;
  /** Makes all that waits for a webhook due at `now`, whenever it was to be tried. */
  hasten(webhookId: Uuid, now: number): Promise<void>;
  find(id: Uuid): Promise<Delivery | null>;
  /** Newest first. */
  list(webhookId: Uuid, slice: Slice): Promise<Rows<Delivery>>;
  /** To be tried at once, with all its tries again; null: it is gone. */
  redeliver(id: Uuid, now: number, complete?: (redelivered: Delivery) => RepeatCompletion): Promise<Delivery | null>;
  /**
   * Those that ended before an instant, or were made before it and wait for a disabled webhook; and what removed webhooks
   * have left.
   *
   * @returns how many were removed
   */
  prune(before: number, limit: number): Promise<number>;
  /** `oldest`: when the oldest was made; null if there are none. */
  depth(): Promise<{ readonly pending: number; readonly oldest: number | null }>;
}
