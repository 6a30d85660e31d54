import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SessionSecrets } from '@postshelf/domain';

const RANDOM_BYTES = 24;
const TAG_BYTES = 8;
const KEY_BYTES = 32;

/**
 * Creates secrets of 192 random bits with a tag, stored as an HMAC-SHA256 (RFC 2104); so many bits need no slow hash.
 * The tag distinguishes made-up secrets from real ones without a query. The keys are derived by HKDF (RFC 5869) from
 * the secret that signs tokens, so write access to the database alone isn't enough to forge one.
 */
export function createSessionSecrets(secret: string): SessionSecrets {
  const keyOf = (info: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', info, KEY_BYTES));
  const [tagging, hashing] = [keyOf('postshelf sessions: tags'), keyOf('postshelf sessions: hashes')];
  const tagOf = (random: Uint8Array): Buffer =>
    createHmac('sha256', tagging).update(random).digest().subarray(0, TAG_BYTES);
  return {
    make() {
      const random = randomBytes(RANDOM_BYTES);
      return Buffer.concat([random, tagOf(random)]).toString('base64url');
    },
    hashOf(text) {
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length !== RANDOM_BYTES + TAG_BYTES || bytes.toString('base64url') !== text) return null;
      if (!timingSafeEqual(tagOf(bytes.subarray(0, RANDOM_BYTES)), bytes.subarray(RANDOM_BYTES))) return null;
      return createHmac('sha256', hashing).update(bytes).digest('hex');
    },
  };
}
