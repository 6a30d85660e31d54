import { findTrashed, previewTrashed } from '@postshelf/application';
import { notFound, TRASH_PREVIEW_WIDTH } from '@postshelf/domain';
import * as v from 'valibot';
import { admit } from '../../admit.ts';
import type { Exchange } from '../../exchange.ts';
import { documented } from '../fields/documented.ts';
import type { PlainRoute } from '../plain-route.ts';

const WEBP = 'image/webp';

/**
 * Lets only the browser that made the request keep the preview, for no longer than a visit to the trash takes, because
 * each preview is decoded again. The browser doesn't use what it kept once the session has ended.
 */
const CACHING = { 'Cache-Control': 'private, max-age=600', Vary: 'Authorization, Cookie' };

/** Serves `GET` and `HEAD /v1/trash/{id}/preview`. */
export async function serveTrashedPreview(exchange: Exchange, id: string): Promise<Response> {
  const { service, facts, reply } = exchange;
  const found = await findTrashed(service.ports, await admit(exchange, 'media:read'), id);
  const bytes = await previewTrashed(service.ports, found, facts.signal);
  if (bytes === null) throw notFound();
  reply.also = CACHING;
  const headers = { 'Content-Type': WEBP, 'X-Content-Type-Options': 'nosniff' };
  return new Response(new Blob([new Uint8Array(bytes)]), { headers });
}

export const trashedPreviewDocument: PlainRoute = {
  method: 'GET',
  path: '/trash/{id}/preview',
  operationId: 'trashPreview',
  summary: 'Preview a deleted media item',
  description: `Returns a small image to recognise the item by, at most ${TRASH_PREVIEW_WIDTH} pixels across; for a video, it shows the cover. The links to the item’s own previews don’t work while it is deleted.`,
  tag: 'Trash',
  scope: 'media:read',
  status: 200,
  extension: true,
  statuses: { 404: 'The id is unknown, the item has no image, or the image can’t be decoded.' },
  mediaType: WEBP,
  output: documented(v.string(), { title: 'TrashedPreview', contentMediaType: WEBP }),
};
