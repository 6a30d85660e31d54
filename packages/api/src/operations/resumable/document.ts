import { DAMAGED, UPLOAD_LOCKED, WRONG_CHECKSUM } from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from '../fields/documented.ts';
import type { PlainRoute } from '../plain-route.ts';
import { CHUNK_TYPE } from './headers.ts';

const bytes = documented(v.string(), {
  title: 'UploadBytes',
  description: 'Bytes of the file, from the offset onwards.',
  format: 'binary',
  contentMediaType: 'application/octet-stream',
});

const VERSION = { 'Tus-Resumable': 'Always `1.0.0`.' };
const CHECKSUM = {
  'Upload-Checksum':
    '`sha1` or `sha256`, a space, and the digest of the body in Base64. If it doesn’t match, nothing is kept.',
};
const WRONG_VERSION = 'The request’s `Tus-Resumable` is not `1.0.0`.';

const TRAITS = {
  tag: 'Media',
  scope: 'media:write',
  extension: true,
  takesNoKey: true,
  mediaType: null,
  output: v.null(),
} as const;

/**
 * The routes of tus 1.0 (tus.io/protocols/resumable-upload). `HEAD` and `OPTIONS` are described in words, because the
 * document lists neither.
 */
export const resumableDocuments: readonly PlainRoute[] = [
  {
    method: 'POST',
    path: '/workspaces/{workspace}/uploads',
    ...TRAITS,
    operationId: 'uploadsCreate',
    summary: 'Start a resumable upload',
    description:
      'Uses tus 1.0, for large files over unreliable networks. The upload’s item, which has the same id, is `temporary` until the last byte has arrived. `Location` is the address to send the bytes to; the first bytes may be in this request, as `application/offset+octet-stream`. `HEAD` on that address returns the `Upload-Offset` at which to continue. Once the item can be used, the offset is the whole length, and `Postshelf-Media-Id` has the item’s id for a day. If the file was refused, the offset is one byte less than the length, and a `PATCH` with that byte returns the reason.',
    status: 201,
    headers: {
      ...VERSION,
      'Upload-Length': 'Bytes of the file, at most 2 GB.',
      'Upload-Metadata':
        'Keys and Base64 texts: `filename` (required), `label`, `folder_id`, `on_duplicate`, `created_at`, `digest` (`sha-256=:…:`).',
      ...CHECKSUM,
    },
    statuses: {
      400: 'A header is missing or malformed.',
      412: WRONG_VERSION,
      413: 'The file is above 2 GB.',
      422: 'The metadata is invalid, the quota is used up, or the file in the request was refused.',
      460: WRONG_CHECKSUM,
    },
    examples: {
      413: 'The file must not be larger than 2 GB.',
      422: { filename: ['The filename field is required.'] },
    },
  },
  {
    method: 'PATCH',
    path: '/uploads/{id}',
    bodies: { [CHUNK_TYPE]: bytes },
    ...TRAITS,
    operationId: 'uploadsAppend',
    summary: 'Send bytes of a resumable upload',
    description:
      'Appends any number of bytes. If the connection breaks, the received bytes are kept. The request with the last byte is answered once the file has been checked, with the item’s id in `Postshelf-Media-Id`.',
    status: 204,
    // Both are sent as 503, after which tus clients try again.
    without: [408, 429],
    headers: { ...VERSION, 'Upload-Offset': 'The number of bytes received so far.', ...CHECKSUM },
    statuses: {
      204: 'Received.',
      400: 'A header is missing or malformed, or the body ended early: the bytes that arrived were kept.',
      409: 'The upload continues at another offset.',
      412: WRONG_VERSION,
      413: 'The file is longer than its `Upload-Length`.',
      422: 'On `file`: the file was refused, and the item is `failed`.',
      423: UPLOAD_LOCKED,
      460: WRONG_CHECKSUM,
      503: 'There are too many requests or uploads, or the storage cannot be reached.',
    },
    examples: { 413: 'The file is longer than its Upload-Length.', 422: { file: [`The file ${DAMAGED}`] } },
  },
  {
    method: 'DELETE',
    path: '/uploads/{id}',
    ...TRAITS,
    operationId: 'uploadsDelete',
    summary: 'End a resumable upload',
    description:
      'Removes the upload with its item and its bytes. Once the file has been checked, only the upload is removed.',
    status: 204,
    headers: VERSION,
    statuses: { 412: WRONG_VERSION },
  },
];
