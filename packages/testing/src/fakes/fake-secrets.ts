import { createHash } from 'node:crypto';
import {
  type IdempotencySeals,
  type KeptAnswer,
  type LinkSigner,
  parseUuid,
  type SessionSecrets,
  type Uuid,
  type WebhookSecrets,
} from '@postshelf/domain';

/** Creates secrets as long as real ones, numbered consecutively. */
export function fakeSessionSecrets(): SessionSecrets {
  let made = 0;
  return {
    make() {
      made += 1;
      return `secret-${made}`.padEnd(43, '_');
    },
    hashOf: (secret) => (secret.startsWith('secret-') ? createHash('sha256').update(secret).digest('hex') : null),
  };
}

/**
 * Creates secrets that are numbered consecutively. They aren't encrypted, but a secret is only opened for the webhook
 * that it was made for.
 */
export function fakeWebhookSecrets(): WebhookSecrets {
  let made = 0;
  return {
    make(webhookId) {
      made += 1;
      const secret = `whsec_${Buffer.from(`secret ${made}`.padEnd(32)).toString('base64')}`;
      return { secret, sealed: Buffer.from(`${webhookId} ${secret}`) };
    },
    open(webhookId, sealed) {
      const [id, secret = null] = Buffer.from(sealed).toString().split(' ');
      return id === webhookId ? secret : null;
    },
  };
}

/** Creates a signer without a key: its signature is just the signed values. */
export const fakeLinkSigner = (): LinkSigner => {
  const sign: LinkSigner['sign'] = ({ key, path, expires }) => `${key} ${expires} ${path}`;
  return { sign, verify: (terms, signature) => sign(terms) === signature };
};

/** Creates seals that encrypt nothing, but open only for the token and key that the content was sealed for. */
export function fakeIdempotencySeals(): IdempotencySeals {
  const idOf = (tokenId: Uuid, key: string): Uuid => {
    const hash = createHash('sha256').update(`${tokenId} ${key}`).digest('hex');
    return parseUuid(hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')) as Uuid;
  };
  return {
    idOf,
    seal: (tokenId, key, answer) => Buffer.from(JSON.stringify({ id: idOf(tokenId, key), answer })),
    open(tokenId, key, sealed) {
      const { id, answer } = JSON.parse(Buffer.from(sealed).toString()) as { id: Uuid; answer: KeptAnswer };
      if (id !== idOf(tokenId, key)) throw new Error('Sealed for another token or key.');
      return answer;
    },
  };
}
