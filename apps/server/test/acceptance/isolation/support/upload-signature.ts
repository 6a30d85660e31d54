import { createHmac, hkdfSync } from 'node:crypto';
import type { Issued } from '../../presign/support/uploads.ts';
import { jwtSecret } from '../../support/server.ts';

/** The signed values in an upload URL. */
export interface Signed {
  readonly id: string;
  readonly expires: string;
  readonly size: string;
  readonly type: string;
}

/** The signed values in an issued URL. */
export function signedOf({ id, url }: Issued): Signed {
  const { searchParams } = new URL(url);
  const field = (name: string) => searchParams.get(name) ?? '';
  return { id, expires: field('expires'), size: field('size'), type: field('type') };
}

/**
 * The path and query of an upload URL, signed as the service signs it. With a different secret, the signature is
 * invalid.
 */
export function addressOf({ id, expires, size, type }: Signed, secret = jwtSecret): string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'postshelf upload address', 32));
  const signature = createHmac('sha256', key).update(['v1', id, size, type, expires].join('\n')).digest('base64url');
  return `/uploads/${id}?${new URLSearchParams({ expires, size, type, signature })}`;
}
