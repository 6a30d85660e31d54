import { type AccessToken, isLive, Refusal, type TokenClaims } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/** Matches `Bearer` in any case, one or more spaces, and the characters of RFC 6750 section 2.1. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/**
 * Returns the token of a request. The row is read each time, so that a revocation takes effect immediately in every
 * process.
 *
 * @param onClaims called with the token's claims if its signature is valid, before the row is read; may throw
 * @throws Refusal `unauthenticated` for a missing, malformed, forged, expired or revoked token; whatever `onClaims`
 *   throws
 */
export async function authenticate(
  ports: TokenPorts,
  authorization: string | null,
  onClaims: (claims: TokenClaims) => void = () => undefined,
): Promise<AccessToken> {
  const text = BEARER.exec(authorization ?? '')?.[1];
  const claims = text === undefined ? null : await ports.signer.verify(text);
  if (claims) onClaims(claims);
  return requireLive(ports, claims);
}

export async function authenticateText(ports: TokenPorts, text: string): Promise<AccessToken> {
  return requireLive(ports, await ports.signer.verify(text));
}

type TokenPorts = Pick<Ports, 'signer' | 'tokens' | 'clock'>;

async function requireLive({ tokens, clock }: TokenPorts, claims: TokenClaims | null): Promise<AccessToken> {
  const token = claims && (await tokens.find(claims.jti));
  if (!token || !isLive(token, clock.now())) throw new Refusal({ code: 'unauthenticated' });
  return token;
}
