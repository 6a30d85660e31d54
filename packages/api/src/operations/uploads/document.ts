import { MULTIPART_FILE_TOO_LARGE } from '@postshelf/domain';
import { storedMedia } from '../media/schema.ts';
import type { PlainRoute } from '../plain-route.ts';
import { uploadForm } from './schema.ts';

/** The body of an upload, which is documented in addition to the JSON body of `media.importUrl`. */
export const uploadBodies = { 'multipart/form-data': uploadForm };

/**
 * The upload with the form as its only body, because client generators ignore the second of two bodies
 * (docs/decisions/02-operations.md).
 */
export const uploadFilesDocument: PlainRoute = {
  method: 'POST',
  // The fragment makes this a separate path in the document. Clients never send it, so the requests are the same.
  path: '/workspaces/{workspace}/media_contents#files',
  bodies: uploadBodies,
  operationId: 'mediaUpload',
  summary: 'Upload media: files',
  description:
    'The operation "Upload media" with files in the request, as a separate entry for clients that are generated from this document. The part of the path from `#` on only distinguishes the entry, and is never sent. Every file is `active` immediately.',
  tag: 'Media',
  scope: 'media:write',
  status: 201,
  extension: true,
  statuses: {
    201: 'Stored; every item is `active`.',
    413: 'A file is above 200 MB; the message refers to presigned uploads.',
    422: 'Fields are invalid, or a file is not of an accepted type.',
    507: 'The storage is low on space and accepts no files for now.',
  },
  examples: { 413: MULTIPART_FILE_TOO_LARGE, 422: { files: ['The files field is required.'] } },
  output: storedMedia,
};
