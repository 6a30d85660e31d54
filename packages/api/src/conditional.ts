import { createHash } from 'node:crypto';
import fresh from 'fresh';

/** Returns an `ETag` that changes with the body. */
export const tagOf = (body: string | Uint8Array): string =>
  `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;

/** Returns a 304 with the headers if the client already has their `ETag` (RFC 9110 section 13.1.2), otherwise null. */
export function notModified(
  { headers: asked }: Request,
  headers: Readonly<Record<string, string>> & { readonly ETag: string },
): Response | null {
  const known = asked.get('if-none-match') ?? undefined;
  return fresh({ 'if-none-match': known }, { etag: headers.ETag })
    ? new Response(null, { status: 304, headers })
    : null;
}
