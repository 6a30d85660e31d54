import { createHmac } from 'node:crypto';
import type { ForgedToken } from '../case.ts';

const KEYS = { empty: '', other: 'another-secret-0123456789abcdef0123456789abcdef' };

/** Returns a token with these parts (RFC 7515 section 3.1), signed with the given hash and key. */
export function forge({ header, claims, hash, key, tail }: ForgedToken, own: string, fill: (text: string) => string) {
  const encode = (text: string): string => Buffer.from(fill(text), 'latin1').toString('base64url');
  const signed = `${encode(header)}.${encode(claims)}`;
  const secret = key === 'own' ? own : KEYS[key];
  const signature = hash === 'none' ? '' : createHmac(hash, secret).update(signed).digest('base64url');
  return `${signed}.${signature}${tail}`;
}
