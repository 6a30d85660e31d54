import type { PlainRoute } from '../openapi/plain-route.ts';
import { uploadForm } from '../schemas/media.ts';

/** `upload.ts` in the OpenAPI document: files, beside the JSON of `media.importUrl`. */
export const uploadDocument: PlainRoute = {
  method: 'POST',
  path: '/workspaces/{workspace}/media_contents',
  bodies: { 'multipart/form-data': uploadForm },
  operation: null,
};
