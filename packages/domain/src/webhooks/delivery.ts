import type { EventType } from '../events/event.ts';
import type { Uuid } from '../ids.ts';

/** Milliseconds before each retry, unless the operator sets other delays. */
export const DEFAULT_WEBHOOK_RETRY_DELAYS: readonly number[] = [
  5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 50_400_000, 72_000_000, 86_400_000,
];

/** How long a finished delivery is kept, in milliseconds. */
export const DELIVERY_LIFE = 30 * 24 * 60 * 60 * 1000;

/** `webhook.test` is sent at a user's request. */
export type DeliveredType = EventType | 'webhook.test';

export interface Delivery {
  readonly id: Uuid;
  readonly webhookId: Uuid;
  readonly workspaceId: Uuid;
  /** Its id is the `webhook-id` of every attempt. */
  readonly event: { readonly id: Uuid; readonly type: DeliveredType };
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  /** null once the delivery has ended. */
  readonly nextAttemptAt: number | null;
  /** Status of the receiver's last answer. */
  readonly lastStatus: number | null;
  readonly lastError: DeliveryError | null;
  readonly createdAt: number;
}

/** Sentences about failures. They never contain anything that a receiver has sent. */
export const DELIVERY_ERRORS = {
  status: 'The receiver did not answer with a 2xx status.',
  redirect: 'The receiver redirected, and redirects are not followed.',
  timeout: 'The receiver did not answer in time.',
  unreachable: 'The receiver could not be reached.',
  not_public: 'The address is not public.',
  not_found: 'The host name was not found.',
  tls: 'The connection could not be secured.',
  secret: 'The secret cannot be read because JWT_SECRET has changed: rotate it.',
} as const;

export type DeliveryError = keyof typeof DELIVERY_ERRORS;

/** The result of an attempt. */
export type Attempt =
  | { readonly ok: true; readonly status: number }
  | {
      readonly ok: false;
      readonly status: number | null;
      readonly error: DeliveryError;
      /** Milliseconds for which the receiver asked to be left alone. Absent if it didn't. */
      readonly retryAfter?: number;
    };

/** Maximum time in milliseconds by which a receiver can postpone a retry. */
const MAX_RETRY_AFTER = 24 * 60 * 60 * 1000;

/**
 * Returns when to try again: after the delay, or the time for which the receiver asked if that is longer, plus up to a
 * fifth of it, so that retries don't coincide.
 *
 * @param attempts the number of attempts so far, at least 1
 * @param random from 0 to 1
 * @param retryAfter milliseconds; at most {@link MAX_RETRY_AFTER} count
 * @returns null if there are no more retries
 */
export function retryAt(
  delays: readonly number[],
  attempts: number,
  now: number,
  random: number,
  retryAfter = 0,
): number | null {
  const delay = delays[attempts - 1];
  if (delay === undefined) return null;
  return Math.round(now + Math.max(delay, Math.min(retryAfter, MAX_RETRY_AFTER)) * (1 + 0.2 * random));
}

export interface SendRequest {
  readonly url: string;
  /** The id in the `webhook-id` header. */
  readonly id: Uuid;
  /** Milliseconds; sent as `webhook-timestamp` in seconds. */
  readonly at: number;
  readonly payload: string;
  /** Secrets of the form `whsec_…`; the request is signed with each. */
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Sends webhook requests by the Standard Webhooks specification, only to public addresses, without following redirects.
 */
export interface WebhookSender {
  send(request: SendRequest): Promise<Attempt>;
  /**
   * Checks whether a URL must be refused even without a request: it isn't a URL, isn't http or https, has a user name,
   * or has an IP address that isn't public.
   *
   * @returns a sentence; null if nothing is wrong
   */
  refuse(url: string): string | null;
}
