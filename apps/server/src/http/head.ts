import { ASKED_METHOD } from '@postshelf/api';

/**
 * A HEAD request as the GET whose answer it asks the head of (RFC 9110 section 9.3.2), without `Range`, which means
 * nothing on HEAD. Elysia would answer HEAD by reading the body of GET to count it, and a video is long.
 */
export function asGet(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete('range');
  // A store signs the method, so a redirect to it has to know which one the client will repeat.
  headers.set(ASKED_METHOD, 'HEAD');
  return new Request(request.url, { headers, signal: request.signal });
}

/** An answer without its body. One that doesn't say its length is short, and counted. */
export async function withoutBody(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (response.body !== null && !headers.has('content-length')) {
    headers.set('Content-Length', String((await response.arrayBuffer()).byteLength));
  }
  return new Response(null, { status, headers });
}
