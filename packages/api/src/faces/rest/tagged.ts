import { createHash } from 'node:crypto';
import type { Answer } from '@postshelf/application';
import fresh from 'fresh';
import { responseOf } from '../../operations/repeats/repeatable.ts';

/**
 * Answers with a body that is constant until the next release. The answer has an `ETag`. Clients that already have this
 * `ETag` get 304.
 */
export function taggedResponse(request: Request, body: string): Response {
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;
  // Caches may store the answer, but have to revalidate it each time.
  return unlessFresh(request, { status: 200, body }, { ETag: etag, 'Cache-Control': 'no-cache' });
}

/** Answers with the `ETag` of the resource's version. The answer has no `ETag` if `etag` is null. */
export function versionedResponse(request: Request, answer: Answer, etag: string | null): Response {
  const tag = etag === null ? {} : { ETag: etag };
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead) return responseOf(answer, tag);
  return unlessFresh(request, answer, { ...tag, 'Cache-Control': 'private, no-cache' });
}

function unlessFresh(
  { headers: asked }: Request,
  answer: Answer,
  headers: { readonly ETag?: string; readonly 'Cache-Control': string },
): Response {
  const known = asked.get('if-none-match');
  const isFresh =
    known !== null && headers.ETag !== undefined && fresh({ 'if-none-match': known }, { etag: headers.ETag });
  return isFresh ? new Response(null, { status: 304, headers }) : responseOf(answer, headers);
}
