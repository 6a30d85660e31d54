import {
  isMediaType,
  MAX_FILES_PER_REQUEST,
  MAX_PRESIGNED_BYTES,
  MAX_PRESIGNED_NAME_LENGTH,
  MEDIA_TYPES,
  type MediaType,
} from '@postshelf/domain';
import * as v from 'valibot';
import { maxCodePoints } from './common.ts';

const TYPES = Object.keys(MEDIA_TYPES).filter(isMediaType);

const size = v.pipe(
  v.number(),
  v.check((bytes) => Number.isInteger(bytes), 'must be an integer.'),
  v.check((bytes) => bytes >= 1, 'must be at least 1.'),
  v.check((bytes) => bytes <= MAX_PRESIGNED_BYTES, `must not be greater than ${MAX_PRESIGNED_BYTES}.`),
);

const file = v.object({
  name: v.pipe(
    v.string(),
    v.check((name) => name !== '', 'is required.'),
    maxCodePoints(MAX_PRESIGNED_NAME_LENGTH),
  ),
  size,
  mime: v.picklist<readonly MediaType[]>(TYPES),
});

export const presignRequest = v.object({
  files: v.pipe(
    v.array(file),
    v.check((files) => files.length >= 1, 'is required.'),
    v.check(
      (files) => files.length <= MAX_FILES_PER_REQUEST,
      `must not have more than ${MAX_FILES_PER_REQUEST} items.`,
    ),
  ),
});

/**
 * PresignedMediaUploadResource of the interface, which types `upload_headers` and `expires_in` as strings: a JSON object
 * of header name to value, and whole seconds.
 */
export const presignedUpload = v.object({
  id: v.string(),
  name: v.string(),
  full_name: v.string(),
  link: v.string(),
  upload_url: v.string(),
  upload_headers: v.string(),
  upload_method: v.literal('PUT'),
  expires_in: v.string(),
});
