import { notModified } from '@postshelf/api';
import Negotiator from 'negotiator';

/** Content codings in which an asset may exist, the smallest first. */
const CODINGS = ['br', 'gzip', 'identity'] as const;

export type Coding = Exclude<(typeof CODINGS)[number], 'identity'>;

export interface Asset {
  readonly name: string;
  readonly type: string;
  readonly plain: Blob;
  readonly coded: ReadonlyMap<Coding, Blob>;
}

/** Headers of pages and of all files that pages load. */
export const PAGE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  // Not `no-referrer`: with it, browsers send `Origin: null` even for a page's requests to its own origin (Fetch,
  // section 3.2).
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** The `Cache-Control` of files whose content never changes under the same name (RFC 8246). */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * Serves an asset in the coding that the client prefers, or answers 304 if the client already has the asset (RFC 9110
 * sections 12.5.3 and 13).
 */
export function serveAsset(request: Request, { name, type, plain, coded }: Asset): Response {
  const accept = { 'accept-encoding': request.headers.get('accept-encoding') ?? undefined };
  const there = CODINGS.filter((coding) => coding === 'identity' || coded.has(coding));
  // A client that accepts none of the codings still gets the uncompressed file.
  const coding = new Negotiator({ headers: accept }).encoding(there, { preferred: CODINGS }) ?? 'identity';
  const body = coded.get(coding as Coding) ?? plain;
  const headers = {
    ...PAGE_HEADERS,
    'Content-Type': type,
    'Cache-Control': IMMUTABLE,
    ETag: `"${name}-${coding}"`,
    Vary: 'Accept-Encoding',
  };
  const known = notModified(request, headers);
  if (known) return known;
  const sent = { ...headers, 'Content-Length': String(body.size) };
  return new Response(body, { headers: body === plain ? sent : { ...sent, 'Content-Encoding': coding } });
}
