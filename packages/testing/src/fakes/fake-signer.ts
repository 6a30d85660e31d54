import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Clock, parseUuid, TOKEN_ISSUER, type TokenClaims, type TokenSigner } from '@postshelf/domain';

const HEADER = encode({ alg: 'HS256', typ: 'JWT' });

/** Signs and verifies real HS256 tokens. The time is that of the given clock, so that a test can let tokens expire. */
export function fakeSigner(secret: string, clock: Clock): TokenSigner {
  const signed = (content: string): string =>
    `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
  return {
    sign: async (claims) => signed(`${HEADER}.${encode({ ...claims, iat: Math.floor(clock.now() / 1000) })}`),
    verify: async (token) => {
      const [header, payload = ''] = token.split('.');
      if (header !== HEADER || !same(token, signed(`${header}.${payload}`))) return null;
      const claims = readClaims(decode(payload));
      return claims && claims.exp * 1000 > clock.now() ? claims : null;
    },
  };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Decodes JSON; null for any other text, which isn't a valid token even if its signature is correct. */
function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return null;
  }
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function readClaims(value: unknown): TokenClaims | null {
  const { iss, sub, jti, iat, exp } = Object(value) as Record<string, unknown>;
  const id = parseUuid(jti);
  if (iss !== TOKEN_ISSUER || typeof sub !== 'string' || id === null) return null;
  if (typeof iat !== 'number' || typeof exp !== 'number') return null;
  return { iss, sub, jti: id, exp };
}
