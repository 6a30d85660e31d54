import { createHmac, timingSafeEqual } from 'node:crypto';
import type { LinkSigner, SignedTerms } from '@postshelf/domain';
import { deriveKey } from './sealing.ts';

/** Version of the signed text. It changes when the meaning of the text changes. */
const VERSION = 'v1';

/** Signs links with HMAC-SHA-256 (RFC 2104) and a key that is derived from the secret that signs tokens. */
export function createLinkSigner(secret: string): LinkSigner {
  const derived = deriveKey(secret, 'postshelf links');
  // Only the path could contain a line end, so it is the last line.
  const sign = ({ key, path, expires }: SignedTerms): string =>
    createHmac('sha256', derived).update([VERSION, key, expires, path].join('\n')).digest('base64url');
  return {
    sign,
    verify(terms, signature) {
      // Signatures are compared as text, because Base64 has several spellings of the same bytes.
      const [given, right] = [Buffer.from(signature), Buffer.from(sign(terms))];
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}
