import type { PlainRoute } from '../plain-route.ts';
import { storedMedia, uploadForm } from '../media/schema.ts';

const PATH = '/workspaces/{workspace}/media_contents';
const FORM = 'multipart/form-data';

/** `upload.ts` in the OpenAPI document: files, beside the JSON of `media.importUrl`. */
export const uploadDocument: PlainRoute = {
  method: 'POST',
  path: PATH,
  bodies: { [FORM]: uploadForm },
  operation: null,
};

/**
 * The same once more, with the form alone: of an operation with two bodies, generators of clients take the first, and
 * this one has a function of its own. No client sends a fragment, so it is the same path on the wire (docs/decisions/021).
 */
export const uploadFilesDocument: PlainRoute = {
  method: 'POST',
  path: `${PATH}#files`,
  bodies: { [FORM]: uploadForm },
  operation: {
    operationId: 'mediaUpload',
    openapi: {
      method: 'POST',
      path: `${PATH}#files`,
      summary: 'Upload media: files',
      description:
        'The operation "Upload media" with files in the request, for clients made from this document: what is behind `#` names this entry and is never sent. Every file is `active` at once.',
      tags: ['Media'],
    },
    scope: 'media:write',
    status: 201,
    extension: true,
    statuses: {
      201: 'Stored; every item is `active`.',
      413: 'A file is above 200 MB; the message points at presign.',
      422: 'Fields are not valid, or a file is none of the six types.',
      507: 'The storage is low on space and takes no files for now.',
    },
    output: storedMedia,
  },
};
