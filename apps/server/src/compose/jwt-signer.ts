import { jwt } from '@elysiajs/jwt';
import { parseUuid, TOKEN_ISSUER, type TokenSigner } from '@postshelf/domain';
import { Elysia } from 'elysia';

/** Options that `verify` requires; the algorithm is pinned, whatever a token's header says (RFC 8725 section 3.1). */
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
      // Only the exact compact form (RFC 7515 section 3.1), as base64 decoders ignore stray characters.
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
