import { EVENT_TYPES, type EventType } from '../events/event.ts';
import type { Uuid } from '../ids.ts';

/**
 * Maximum number of webhooks in a workspace. Each event may cause one delivery per webhook, and these deliveries delay
 * those of other workspaces.
 */
export const MAX_WEBHOOKS = 50;

/** Maximum length of a URL, in characters. */
export const MAX_WEBHOOK_URL = 2048;

/** How long the previous secret also signs after a rotation, in milliseconds. */
export const ROTATION_OVERLAP = 24 * 60 * 60 * 1000;

/** How long every attempt may fail before a webhook is disabled, in milliseconds. */
export const MAX_FAILING = 5 * 24 * 60 * 60 * 1000;

export interface Webhook {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly url: string;
  /** null for all types, including those of later releases. */
  readonly types: readonly EventType[] | null;
  readonly enabled: boolean;
  /** null if the webhook is enabled, or if a user has disabled it. */
  readonly disabledReason: DisabledReason | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const DISABLED_REASONS = {
  gone: 'The receiver answered 410 Gone.',
  failing: 'Nothing could be delivered for five days.',
} as const;

export type DisabledReason = keyof typeof DISABLED_REASONS;

/** The status of a receiver that wants no more deliveries (Standard Webhooks; RFC 9110 section 15.5.11). */
const GONE = 410;

/**
 * Returns why a failed attempt disables its webhook; null if it doesn't.
 *
 * @param status the status of the receiver's answer; null if it didn't answer
 * @param failingSince the time since which every attempt has failed; null if the attempt is the first that failed
 */
export function reasonToDisable(
  status: number | null,
  failingSince: number | null,
  now: number,
): DisabledReason | null {
  if (status === GONE) return 'gone';
  return failingSince !== null && now - failingSince >= MAX_FAILING ? 'failing' : null;
}

export const typesOf = ({ types }: Pick<Webhook, 'types'>): readonly EventType[] => types ?? EVENT_TYPES;

/** A webhook's secrets, encrypted. */
export interface WebhookSecretsKept {
  readonly current: Uint8Array;
  /** Signs until `previousUntil`. */
  readonly previous: Uint8Array | null;
  readonly previousUntil: number | null;
}

/** Makes and reads webhook secrets, which only the service can decrypt. */
export interface WebhookSecrets {
  /** @returns `whsec_` with 32 random bytes in base64, and the same secret encrypted for this webhook */
  make(webhookId: Uuid): { readonly secret: string; readonly sealed: Uint8Array };
  /** @returns null if the secret was encrypted with another `JWT_SECRET` */
  open(webhookId: Uuid, sealed: Uint8Array): string | null;
}

/** Returns the secrets that sign now, newest first. */
export const signingSecrets = ({ current, previous, previousUntil }: WebhookSecretsKept, now: number): Uint8Array[] =>
  previous !== null && previousUntil !== null && now < previousUntil ? [current, previous] : [current];
