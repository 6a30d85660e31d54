import { createHmac } from 'node:crypto';
import { jwtSecret } from './server.ts';

/** The claims of a token. The token isn't verified. */
export function claimsOf(token: string): Record<string, unknown> {
  return decode(token.split('.')[1] ?? '');
}

/** The header of a token. The token isn't verified. */
export function headerOf(token: string): Record<string, unknown> {
  return decode(token.split('.')[0] ?? '');
}

function decode(part: string): Record<string, unknown> {
  const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  return { ...Object(value) };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Signs any header and claims with any secret. `alg: none` gets an empty signature (RFC 7519 §6). */
export function sign(header: Record<string, unknown>, claims: Record<string, unknown>, secret = jwtSecret): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  if (String(header.alg).toLowerCase() === 'none') return `${signed}.`;
  const hash = { HS384: 'sha384', HS512: 'sha512' }[String(header.alg)] ?? 'sha256';
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

/** Changes some claims of a token, and signs the result with the server's own secret. */
export function reissue(token: string, changed: Record<string, unknown>, header = headerOf(token)): string {
  return sign(header, { ...claimsOf(token), ...changed });
}
