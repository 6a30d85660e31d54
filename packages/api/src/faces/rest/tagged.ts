import type { Answer } from '@postshelf/application';
import { notModified, tagOf } from '../../conditional.ts';
import { responseOf } from '../../operations/idempotency/repeatable.ts';

/**
 * Answers with a body that is constant until the next release. The answer has an `ETag`. Clients that already have this
 * `ETag` get 304.
 */
export function taggedResponse(request: Request, body: string): Response {
  // Caches may store the answer, but have to revalidate it each time.
  const headers = { ETag: tagOf(body), 'Cache-Control': 'no-cache' };
  return notModified(request, headers) ?? responseOf({ status: 200, body }, headers);
}

/** Answers with the `ETag` of the resource's version. The answer has no `ETag` if `etag` is null. */
export function versionedResponse(request: Request, answer: Answer, etag: string | null): Response {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const caching = isRead ? { 'Cache-Control': 'private, no-cache' } : {};
  if (etag === null) return responseOf(answer, caching);
  const headers = { ETag: etag, ...caching };
  return (isRead && notModified(request, headers)) || responseOf(answer, headers);
}
