import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { jwt } from '@elysiajs/jwt';
import { parseUuid, type SessionSecrets, TOKEN_ISSUER, type TokenSigner } from '@postshelf/domain';
import { Elysia } from 'elysia';
import { deriveKey } from './sealing.ts';

/** Options that `verify` requires. The algorithm is fixed, whatever a token's header says (RFC 8725 section 3.1). */
const REQUIRED = {
  algorithms: ['HS256'],
  issuer: TOKEN_ISSUER,
  requiredClaims: ['sub', 'jti', 'iat', 'exp'],
};

/** Signs and verifies tokens with Elysia's JWT plugin. */
export function createJwtSigner(secret: string): TokenSigner {
  const { jwt: plugin } = new Elysia().use(jwt({ name: 'jwt', secret, alg: 'HS256' })).decorator;
  return {
    sign: ({ iss, sub, jti, exp }) => plugin.sign({ iss, sub, jti, exp }),
    async verify(token) {
      // Only the exact compact form is accepted (RFC 7515 section 3.1), because base64 decoders ignore stray
      // characters.
      if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return null;
      const claims = await plugin.verify(token, REQUIRED);
      if (!claims) return null;
      const { sub, exp } = claims;
      const jti = parseUuid(claims.jti);
      if (!jti || typeof sub !== 'string' || typeof exp !== 'number') return null;
      return { iss: TOKEN_ISSUER, sub, jti, exp };
    },
  };
}

const RANDOM_BYTES = 24;
const TAG_BYTES = 8;

/**
 * Creates secrets, each of 192 random bits and a tag. Only their HMAC-SHA256 (RFC 2104) is stored; with so many random
 * bits, no slow hash is needed. The tag shows without a query whether the service issued a secret. The keys are derived
 * from the secret that signs tokens, so write access to the database isn't enough to forge a secret.
 */
export function createSessionSecrets(secret: string): SessionSecrets {
  const tagging = deriveKey(secret, 'postshelf sessions: tags');
  const hashing = deriveKey(secret, 'postshelf sessions: hashes');
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
