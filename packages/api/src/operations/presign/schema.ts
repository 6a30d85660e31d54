import {
  type AnnouncedType,
  CONVERTED_TYPES,
  isMediaType,
  MAX_FILES_PER_REQUEST,
  MAX_PRESIGNED_BYTES,
  MAX_PRESIGNED_NAME_LENGTH,
  MEDIA_TYPES,
  readAnnouncedType,
} from '@postshelf/domain';
import * as v from 'valibot';
import { termsFields } from '../duplicates/schema.ts';
import { documented } from '../fields/documented.ts';
import { listOf, maxCodePoints } from '../fields/values.ts';
import { folder_id, label } from '../media/schema.ts';

const TYPES: readonly AnnouncedType[] = [...Object.keys(MEDIA_TYPES).filter(isMediaType), ...CONVERTED_TYPES];

const size = documented(
  v.pipe(
    v.number(),
    v.integer('must be an integer.'),
    v.minValue(1, 'must be at least 1.'),
    v.maxValue(MAX_PRESIGNED_BYTES, `must not be greater than ${MAX_PRESIGNED_BYTES}.`),
  ),
  { description: 'Exact size of the file in bytes: the upload address accepts no other.', examples: [734003200] },
);

const mime = v.pipe(
  documented(v.string(), {
    description: `${TYPES.map((type) => `\`${type}\``).join(', ')}. Case is ignored, and other spellings that browsers use, such as \`image/jpg\`, are accepted. The upload has to have the type in \`upload_headers\`.`,
    examples: ['video/mp4'],
  }),
  v.transform((text) => readAnnouncedType(text) ?? text),
  v.picklist(TYPES),
);

const file = v.object({
  name: v.pipe(
    documented(v.string(), { maxLength: MAX_PRESIGNED_NAME_LENGTH, examples: ['film.mp4'] }),
    v.nonEmpty('is required.'),
    maxCodePoints(MAX_PRESIGNED_NAME_LENGTH),
  ),
  size,
  mime,
  label: v.optional(documented(label, { 'x-extension': true }), null),
  folder_id: v.optional(documented(folder_id, { 'x-extension': true }), null),
  ...termsFields,
});

export const presignRequest = documented(
  v.object({
    files: listOf(documented(file, { title: 'PresignFile' }), MAX_FILES_PER_REQUEST, 1),
  }),
  { title: 'PresignRequest' },
);

/**
 * A presigned upload (docs/api.md, "Presigned uploads"). `upload_headers` and `expires_in` are strings: a JSON object
 * of header name to value, and whole seconds.
 */
export const presignedUpload = documented(
  v.object({
    id: documented(v.string(), {
      description: 'The id of the media item, which is `temporary` until confirmed.',
      format: 'uuid',
    }),
    name: v.string(),
    full_name: v.string(),
    link: documented(v.string(), { description: 'Shows the file once the item is `active`.', format: 'uri' }),
    upload_url: documented(v.string(), {
      description: 'Send the file there with `upload_method` and `upload_headers`, and without a token.',
      format: 'uri',
    }),
    upload_headers: documented(v.string(), {
      description: 'A JSON object of header names and their values, as a string.',
      examples: ['{"Content-Type":"video/mp4"}'],
    }),
    upload_method: v.literal('PUT'),
    expires_in: documented(v.string(), {
      description: 'Whole seconds until the address expires, as a string.',
      examples: ['3600'],
    }),
  }),
  { title: 'PresignedMediaUploadResource' },
);
