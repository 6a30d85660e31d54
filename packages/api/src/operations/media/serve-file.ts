import { type AdmittedLink, bodyToServe, findLinked, openMedia, openPreview, type Ports } from '@postshelf/application';
import { type MediaType, notFound, Refusal, type StoredObject, type Uuid } from '@postshelf/domain';
import { notModified } from '../../conditional.ts';
import type { Exchange } from '../../exchange.ts';
import type { Redirects, Service } from '../../service.ts';
import { signatureOf } from '../fields/signature.ts';
import { attachmentNamed } from './attachment.ts';

/** Lets caches store an object without ever revalidating it (RFC 8246), because it never changes under its link. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Returns the header `Cache-Control`. Browsers may reuse a file with a signed link until the link expires. No other
 * cache may store it.
 */
const cacheControl = ({ secondsLeft }: AdmittedLink): string =>
  secondsLeft === null ? FOR_EVER : `private, max-age=${secondsLeft}, immutable`;

/**
 * Prevents a file that is opened as a document from running scripts or loading anything but itself. The page that a
 * browser builds around a video requests the video again, so the document must keep this origin
 * (docs/decisions/20-links.md).
 */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; media-src 'self'; sandbox allow-same-origin";

/**
 * Serves `GET` and `HEAD /files/{full_name}` to anyone who has the link, which must be signed if the workspace requires
 * it (RFC 9110 sections 13 and 14). With the query parameter `download`, browsers save the file under the item's name.
 *
 * @param encodedPath the path below `/files/`, percent-encoded as received
 */
export async function serveFile(exchange: Exchange, encodedPath: string): Promise<Response> {
  const { service, facts } = exchange;
  const { request } = facts;
  // A path that can't be a full name is refused like an unknown full name.
  const fullName = decodePath(encodedPath) ?? encodedPath;
  const { redirects } = service;
  // `Vary` isn't needed: a cache may give browsers what it stored for other clients, because it is the same file.
  if (redirects && isRedirected(service, redirects, request)) {
    return redirect(service.ports, redirects, request, fullName);
  }
  const onMissing = ({ id }: { id: Uuid }): void => service.observer.missing(id);
  const opened = await openMedia(service.ports, fullName, onMissing, signatureOf(request));
  if (!opened) throw notFound();
  const { item, object } = opened;
  // An item's content never changes, so its id serves as ETag if the file has no hash.
  const headers = {
    ...headersOf(item.content.type, item.content.sha256 ?? item.id, opened),
    ...(isDownload(request) && { 'Content-Disposition': attachmentNamed(item.name) }),
  };
  const served = { object, key: fullName, workspaceId: item.workspaceId };
  return notModified(request, headers) ?? respond(exchange, served, headers);
}

/** Serves `GET` and `HEAD /previews/{workspace}/{id}/{width}.webp`. Makes the preview first if it doesn't exist yet. */
export async function servePreview(exchange: Exchange, path: string): Promise<Response> {
  const { service, facts } = exchange;
  const { request } = facts;
  const onMissing = ({ id }: { id: Uuid }): void => service.observer.missing(id);
  const opened = await openPreview(service.ports, path, facts.signal, onMissing, signatureOf(request));
  if (opened === null) throw notFound();
  // A preview that is made again shows the same image, so the path serves as ETag.
  const headers = headersOf('image/webp', path, opened);
  const { object, item } = opened;
  const served = { object, key: `.previews/${path}`, workspaceId: item.workspaceId };
  return notModified(request, headers) ?? respond(exchange, served, headers);
}

/**
 * Whether the request comes from a browser. Over https and to localhost, browsers send the purpose of a request in
 * headers (Fetch Metadata).
 */
const isBrowser = ({ headers }: Request): boolean => headers.has('sec-fetch-dest');

/**
 * Whether the client is redirected to the storage. Pages of allowed origins that read the file's content, for example
 * by `fetch` or through an `<img crossorigin>`, aren't: browsers follow a redirect between two other origins with
 * `Origin: null` (Fetch standard, section 4.4), which the bucket's rule refuses unless it allows all origins.
 */
function isRedirected(
  { allowsOrigin }: Pick<Service, 'allowsOrigin'>,
  { readers }: Redirects,
  request: Request,
): boolean {
  if (readers === 'all') return true;
  const origin = request.headers.get('origin');
  const readsContent = origin !== null && allowsOrigin(origin);
  return isBrowser(request) && (!readsContent || allowsOrigin('null'));
}

const isDownload = ({ url }: Request): boolean => new URL(url).searchParams.has('download');

/** Redirects to a URL of the storage. That URL is short-lived, so the redirect must not be cached. */
async function redirect(
  ports: Pick<Ports, 'media' | 'workspaces' | 'linkSigner' | 'clock'>,
  redirects: Redirects,
  request: Request,
  fullName: string,
): Promise<Response> {
  const linked = await findLinked(ports, fullName, signatureOf(request));
  if (!linked) throw notFound();
  const disposition = isDownload(request) ? attachmentNamed(linked.item.name) : undefined;
  // The signature covers the method, so the URL is signed for the method that the client uses.
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
  const location = await redirects.addressOf(fullName, method, linked.secondsLeft, disposition);
  return new Response(null, { status: 302, headers: { Location: location, 'Cache-Control': 'no-store' } });
}

/**
 * Decodes a path. Returns null if it can't be a full name, because an escape is invalid or a segment contains an
 * encoded `/`.
 */
function decodePath(encodedPath: string): string | null {
  try {
    const segments = encodedPath.split('/').map(decodeURIComponent);
    return segments.some((segment) => segment.includes('/')) ? null : segments.join('/');
  } catch {
    return null;
  }
}

function headersOf(type: MediaType, tag: string, link: AdmittedLink) {
  return {
    'Content-Type': type,
    ETag: `"${tag}"`,
    'Cache-Control': cacheControl(link),
    'Accept-Ranges': 'bytes',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Cross-Origin-Resource-Policy': 'cross-origin',
  };
}

interface Served {
  readonly object: StoredObject;
  readonly key: string;
  readonly workspaceId: Uuid;
}

async function respond(
  { service, facts }: Exchange,
  { object, key, workspaceId }: Served,
  headers: ReturnType<typeof headersOf>,
): Promise<Response> {
  const { request, signal } = facts;
  const range = readRange(request, object.size, headers.ETag);
  if (range === 'unsatisfiable') throw new Refusal({ code: 'range_not_satisfiable', size: object.size });
  const length = range === null ? object.size : range.end - range.start + 1;
  const whole = { ...headers, 'Content-Length': String(length) };
  if (request.method === 'HEAD') return new Response(null, { status: 200, headers: whole });
  const slowest = service.bodyTimeouts;
  const reading = { key, workspaceId, range, isBrowser: isBrowser(request), signal, slowest };
  const body = await bodyToServe(service.ports, object, reading);
  if (range === null) return new Response(body, { status: 200, headers: whole });
  const part = { ...whole, 'Content-Range': `bytes ${range.start}-${range.end}/${object.size}` };
  return new Response(body, { status: 206, headers: part });
}

/**
 * Returns the requested range, or null for the whole file. As RFC 9110 section 14.2 allows, ignores a malformed range,
 * several ranges, another unit, and a range of another version of the file (`If-Range`).
 */
function readRange(request: Request, size: number, etag: string): ReturnType<typeof parseRange> {
  const header = request.headers.get('range');
  const condition = request.headers.get('if-range');
  // Range is defined only for GET (RFC 9110 section 14.2).
  if (!header || request.method !== 'GET' || (condition !== null && condition !== etag)) return null;
  return parseRange(header, size);
}

const SINGLE_RANGE = /^bytes *= *(\d*)-(\d*) *$/i;

/**
 * Parses a range: first to last byte, or the last N bytes (RFC 9110 section 14.1.2). range-parser isn't used, because
 * it refuses a suffix that is longer than the file, although that means the whole file.
 *
 * @returns the positions of the first and the last byte; `unsatisfiable` if the range contains no byte of the file;
 *   null for a header that a server ignores
 */
export function parseRange(
  header: string,
  size: number,
): { readonly start: number; readonly end: number } | 'unsatisfiable' | null {
  const [, first = '', last = ''] = SINGLE_RANGE.exec(header) ?? [];
  if (first === '' && last === '') return null;
  if (first === '') return Number(last) === 0 || size === 0 ? 'unsatisfiable' : tail(Number(last), size);
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

const tail = (length: number, size: number) => ({ start: Math.max(0, size - length), end: size - 1 });
