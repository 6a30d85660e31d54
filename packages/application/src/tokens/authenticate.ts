import { type AccessToken, isLive, Refusal, type TokenClaims } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/** `Bearer`, in any case, one space or more, one token of the characters that RFC 6750 section 2.1 allows. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/** What a token in an `Authorization` header claims, where we signed it; says nothing of revocation. Looks nothing up. */
export function readBearer(ports: Pick<Ports, 'signer'>, authorization: string | null): Promise<TokenClaims | null> {
  const text = BEARER.exec(authorization ?? '')?.[1];
  return text === undefined ? Promise.resolve(null) : ports.signer.verify(text);
}

/**
 * Who is asking, by the `Authorization` header. The signature may come from a cache; the token is looked up each time,
 * so that a revoked one is out at once, in every process.
 *
 * @throws Refusal `unauthenticated` for a missing, malformed, forged, expired or revoked token
 */
export async function authenticate(
  ports: Pick<Ports, 'signer' | 'tokens' | 'clock'>,
  authorization: string | null,
): Promise<AccessToken> {
  const claims = await readBearer(ports, authorization);
  const token = claims && (await ports.tokens.find(claims.jti));
  if (!token || !isLive(token, ports.clock.now())) throw new Refusal({ code: 'unauthenticated' });
  return token;
}
