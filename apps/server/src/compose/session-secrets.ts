import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { SessionSecrets } from '@postshelf/domain';

const SECRET_BYTES = 32;
const KEY_BYTES = 32;

/**
 * Secrets of 256 random bits, kept by their HMAC-SHA256 (RFC 2104): nothing slower is needed where nobody can guess. Its key
 * is derived by HKDF (RFC 5869) from the secret that signs tokens: with another one, sessions are as void as tokens are, and
 * whoever can write to the database alone can make none.
 */
export function createSessionSecrets(secret: string): SessionSecrets {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'postshelf sessions', KEY_BYTES));
  return {
    make: () => randomBytes(SECRET_BYTES).toString('base64url'),
    hashOf: (text) => createHmac('sha256', key).update(text).digest('hex'),
  };
}
