import type { RequestContext } from '../../context.ts';
import { renderError } from '../../errors.ts';

/** A failure as a response. @param onFault called for internal errors */
export function errorResponse(error: unknown, onFault: (cause: unknown) => void): Response {
  const { status, body, headers, isFault } = renderError(error);
  if (isFault) onFault(error);
  return Response.json(body, { status, headers });
}

/** An answer without its body. If its length isn't stated the body is short, and is measured. */
export async function withoutBody(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (response.body !== null && !headers.has('content-length')) {
    headers.set('Content-Length', String((await response.arrayBuffer()).byteLength));
  }
  return new Response(null, { status, headers });
}

const OF_SESSIONS = [
  ['Cache-Control', 'no-store'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['X-Content-Type-Options', 'nosniff'],
] as const;

/**
 * Adds the headers that every answer has: the request's id, the token's state in its rate limit, and a mark on a
 * repeat. An answer to a session must not be stored by caches (for requests with `Authorization` RFC 9111 section 3.5
 * rules that out), nor be loaded as a script or a picture by a page of another origin, as browsers add the cookie
 * there, too.
 */
export function addHeaders(headers: Headers, { id, rate, isReplayed, session, setCookie }: RequestContext): void {
  headers.set('X-Request-Id', id);
  if (session !== null) for (const [name, value] of OF_SESSIONS) headers.set(name, value);
  if (setCookie !== null) headers.append('Set-Cookie', setCookie);
  if (isReplayed) headers.set('Idempotency-Replayed', 'true');
  if (!rate) return;
  // draft-ietf-httpapi-ratelimit-headers-06, and the seconds until the next window.
  headers.set('RateLimit-Limit', String(rate.limit));
  headers.set('RateLimit-Remaining', String(rate.remaining));
  headers.set('RateLimit-Reset', String(rate.reset));
  if (rate.isExceeded) headers.set('Retry-After', String(rate.reset));
}
