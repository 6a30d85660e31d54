import { randomBytes } from 'node:crypto';
import type { Uuid, WebhookSecrets } from '@postshelf/domain';
import { deriveKey, seal, unseal } from './sealing.ts';

/** Number of bytes of a secret; Standard Webhooks recommends 24 to 64. */
const SECRET_BYTES = 32;

/**
 * Makes secrets and seals them. Each webhook has its own key, which is derived from the webhook's id and the secret
 * that signs tokens. The key is used once per rotation of the webhook's secret.
 */
export function createWebhookSecrets(secret: string): WebhookSecrets {
  const keyOf = (webhookId: Uuid): Buffer => deriveKey(secret, 'postshelf webhooks: secrets', webhookId);
  return {
    make(webhookId) {
      const random = randomBytes(SECRET_BYTES);
      return { secret: textOf(random), sealed: seal(keyOf(webhookId), random) };
    },

    open(webhookId, sealed) {
      const random = unseal(keyOf(webhookId), sealed);
      return random && textOf(random);
    },
  };
}

const textOf = (random: Uint8Array): string => `whsec_${Buffer.from(random).toString('base64')}`;
