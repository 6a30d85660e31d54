import type { Uuid } from '../ids.ts';
import { EVENT_TYPES, type EventType } from './event.ts';

/** Of a workspace: each event becomes as many deliveries, which those of other workspaces wait for. */
export const MAX_WEBHOOKS = 50;

/** Characters. */
export const MAX_WEBHOOK_URL = 2048;

/** Milliseconds for which the secret before a rotation signs, too. */
export const ROTATION_OVERLAP = 24 * 60 * 60 * 1000;

/** Milliseconds of nothing but failures that disable a webhook. */
export const MAX_FAILING = 5 * 24 * 60 * 60 * 1000;

export interface Webhook {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly url: string;
  /** null: all of them, those of later releases too. */
  readonly types: readonly EventType[] | null;
  readonly enabled: boolean;
  /** null while it is enabled, and if somebody has disabled it. */
  readonly disabledReason: DisabledReason | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const DISABLED_REASONS = {
  gone: 'The receiver answered 410 Gone.',
  failing: 'Nothing could be delivered for five days.',
} as const;

export type DisabledReason = keyof typeof DISABLED_REASONS;

export const typesOf = ({ types }: Pick<Webhook, 'types'>): readonly EventType[] => types ?? EVENT_TYPES;

/** Encrypted. */
export interface WebhookSecretsKept {
  readonly current: Uint8Array;
  /** Signs until `previousUntil`. */
  readonly previous: Uint8Array | null;
  readonly previousUntil: number | null;
}

/** Keys of a webhook, which only the process can read. */
export interface WebhookSecrets {
  /** @returns `whsec_` and 32 random bytes in base64, and the same encrypted for this webhook */
  make(webhookId: Uuid): { readonly secret: string; readonly sealed: Uint8Array };
  /** @returns null if it was encrypted by another `JWT_SECRET` */
  open(webhookId: Uuid, sealed: Uint8Array): string | null;
}

/** Secrets that sign now, newest first. */
export const signingSecrets = ({ current, previous, previousUntil }: WebhookSecretsKept, now: number): Uint8Array[] =>
  previous !== null && previousUntil !== null && now < previousUntil ? [current, previous] : [current];
