import { hasOffset, MAX_FILES_PER_REQUEST, MAX_LABEL_LENGTH, ON_DUPLICATE, readInstant } from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from '../fields/documented.ts';
import { folder_id, label } from '../media/schema.ts';

/** The description of the field in the API’s document. */
const CREATED_AT =
  'When the files were made, if they are older than the library: RFC 3339, with an offset or `Z`. It becomes `created_at`; a future time counts as now.';

/** An RFC 3339 time, which is converted to milliseconds. */
export const createdAt = v.pipe(
  v.string(),
  v.rawTransform<string, number>(({ dataset, addIssue, NEVER }) => {
    const instant = hasOffset(dataset.value) ? readInstant(dataset.value, 'UTC') : null;
    if (instant !== null) return instant;
    addIssue({ message: 'must be a date and time with an offset, such as 2019-07-31T18:30:00Z.' });
    return NEVER;
  }),
);

/** The fields of a multipart upload other than its files. */
export const uploadFields = v.object({
  label: v.optional(label, null),
  folder_id: v.optional(folder_id, null),
  // Absent fields of a form are null.
  on_duplicate: v.nullish(v.picklist(ON_DUPLICATE), 'keep'),
  created_at: v.nullish(createdAt),
});

/** Fields that may contain any text. */
const TEXTS: ReadonlySet<string> = new Set(['filename', 'label']);

/**
 * Whether a value counts as absent in a form or in the metadata of a resumable upload, neither of which can contain
 * null. JavaScript's `FormData` and tus clients convert null and undefined to words.
 */
export const isAbsent = (name: string, value: string): boolean =>
  value === '' || (!TEXTS.has(name) && ['null', 'undefined'].includes(value));

/**
 * Describes the form, but isn't used for parsing. The other names of the file field are only mentioned in the
 * description: if they were fields, generated clients would send all of them.
 */
const formFields = v.object({
  'files[]': documented(
    v.pipe(
      v.array(documented(v.string(), { format: 'binary', contentMediaType: 'application/octet-stream' })),
      v.minLength(1),
      v.maxLength(MAX_FILES_PER_REQUEST),
    ),
    {
      description:
        'JPEG, PNG, GIF, WebP, MP4 or QuickTime. HEIC, HEIF and AVIF are also accepted, and are converted to JPEG or PNG. Types are recognised by the bytes. Each file can have up to 200 MB. Either all files are stored, or none. The names `files` and `files[0]`, `files[1]`, … work as well.',
    },
  ),
  label: v.optional(
    documented(v.string(), {
      description: 'The label of every file; empty means none.',
      maxLength: MAX_LABEL_LENGTH,
      examples: ['Summer'],
    }),
  ),
  folder_id: v.optional(
    documented(v.string(), {
      description: 'The UUID of a folder of the workspace; empty: the root.',
      examples: [''],
    }),
  ),
  on_duplicate: v.optional(
    documented(v.picklist(ON_DUPLICATE), {
      description:
        '`return`: for a file that the workspace already has as an `active` item, that item is returned; also needs `media:read`.',
      'x-extension': true,
    }),
  ),
  created_at: v.optional(
    // There is no `format`, because the field may be empty.
    documented(v.string(), { description: CREATED_AT, examples: [''], 'x-extension': true }),
  ),
  'sha256[]': v.optional(
    documented(v.pipe(v.array(v.string()), v.maxLength(MAX_FILES_PER_REQUEST)), {
      description:
        'SHA-256 of each file, in hex, in the order of the files; empty means unknown. A file that doesn’t match is refused like a damaged one.',
      // Without this example, the form on the page at /docs would send an invalid hash.
      examples: [['']],
      'x-extension': true,
    }),
  ),
});

export const uploadForm = documented(formFields, {
  title: 'MediaUpload',
  description: 'Files in the request, and the properties of their items.',
});
