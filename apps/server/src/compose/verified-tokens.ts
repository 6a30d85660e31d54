import type { Clock, TokenClaims, TokenSigner } from '@postshelf/domain';
import { LRUCache } from 'lru-cache';

/** Maximum number of cached tokens. Each takes a few hundred bytes. */
const MAX_REMEMBERED = 10_000;

/**
 * Caches tokens whose signature was verified, because verifying a signature costs more than the rest of a small
 * request. Whether a token is revoked isn't cached. Refused tokens aren't cached, because guesses would evict tokens in
 * use.
 */
export function cacheVerifiedTokens(signer: TokenSigner, clock: Clock): TokenSigner {
  const known = new LRUCache<string, TokenClaims>({ max: MAX_REMEMBERED });
  return {
    sign: (claims) => signer.sign(claims),
    async verify(token) {
      const remembered = known.get(token);
      if (remembered) {
        if (clock.now() < remembered.exp * 1000) return remembered;
        known.delete(token);
        return null;
      }
      const claims = await signer.verify(token);
      if (claims) known.set(token, claims);
      return claims;
    },
  };
}
