import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Uuid, WebhookSecrets } from '@postshelf/domain';

/** Number of bytes of a secret; Standard Webhooks recommends 24 to 64. */
const SECRET_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Version byte at the start of sealed data, so that the format can change later. */
const VERSION = 1;

/**
 * Seals secrets with AES-256-GCM (NIST SP 800-38D) and a random nonce. Each webhook has its own key, which is derived
 * by HKDF (RFC 5869) from the webhook's id and the secret that signs tokens. The key is used once per rotation of the
 * webhook's secret.
 */
export function createWebhookSecrets(secret: string): WebhookSecrets {
  const keyOf = (webhookId: Uuid): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, webhookId, 'postshelf webhooks: secrets', KEY_BYTES));
  return {
    make(webhookId) {
      const random = randomBytes(SECRET_BYTES);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', keyOf(webhookId), nonce);
      const encrypted = [cipher.update(random), cipher.final()];
      const sealed = Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ...encrypted]);
      return { secret: textOf(random), sealed };
    },

    open(webhookId, sealed) {
      const bytes = Buffer.from(sealed);
      if (bytes[0] !== VERSION) throw new Error(`A webhook's secret is sealed with the unknown version ${bytes[0]}.`);
      const [nonceEnd, tagEnd] = [1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES];
      const options = { authTagLength: TAG_BYTES };
      const decipher = createDecipheriv('aes-256-gcm', keyOf(webhookId), bytes.subarray(1, nonceEnd), options);
      decipher.setAuthTag(bytes.subarray(nonceEnd, tagEnd));
      const opened = decipher.update(bytes.subarray(tagEnd));
      try {
        decipher.final();
      } catch {
        return null;
      }
      return textOf(opened);
    },
  };
}

const textOf = (random: Uint8Array): string => `whsec_${Buffer.from(random).toString('base64')}`;
