import type { RequestContext } from '../../context.ts';
import { renderError } from '../../errors.ts';

/** A failure as a response. @param onFault called with errors that are our own fault */
export function errorResponse(error: unknown, onFault: (cause: unknown) => void): Response {
  const { status, body, headers, isFault } = renderError(error);
  if (isFault) onFault(error);
  return Response.json(body, { status, headers });
}

/** An answer without its body. A body without a stated length is short, and counted. */
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
 * Headers that every answer has: the request's id, and the token's state in its rate limit. A repeat is marked as one. An
 * answer to a session may be kept by no cache (RFC 9111 section 3.5 rules that out for requests with `Authorization`), nor be
 * loaded as a script or a picture by a page of another origin, as browsers add the cookie there, too.
 */
export function addHeaders(headers: Headers, { id, rate, isReplayed, session, setCookie }: RequestContext): void {
  headers.set('X-Request-Id', id);
  if (session !== null) for (const [name, value] of OF_SESSIONS) headers.set(name, value);
  if (setCookie !== null) headers.append('Set-Cookie', setCookie);
  if (isReplayed) headers.set('Idempotency-Replayed', 'true');
  if (!rate) return;
  // draft-ietf-httpapi-ratelimit-headers-06, and when to come again.
  headers.set('RateLimit-Limit', String(rate.limit));
  headers.set('RateLimit-Remaining', String(rate.remaining));
  headers.set('RateLimit-Reset', String(rate.reset));
  if (rate.isExceeded) headers.set('Retry-After', String(rate.reset));
}
