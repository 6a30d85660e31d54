import { type FieldErrors, invalid, MAX_PRESIGNED_NAME_LENGTH, Refusal } from '@postshelf/domain';
import * as v from 'valibot';
import { termsFields } from '../duplicates/schema.ts';
import { fieldErrorsOf } from '../fields/field-errors.ts';
import { maxCodePoints } from '../fields/values.ts';
import { folder_id, label } from '../media/schema.ts';
import { createdAt, isAbsent } from '../uploads/schema.ts';

const DIGEST = /^sha-256=:([A-Za-z0-9+/]{43}=):$/;

/** A digest in the form of RFC 9530, "Repr-Digest". */
const digest = v.pipe(
  v.string(),
  v.regex(DIGEST, 'must be a SHA-256 in the form sha-256=:Base64:.'),
  v.transform((text) => Buffer.from(DIGEST.exec(text)?.[1] ?? '', 'base64').toString('hex')),
);

const fields = v.object({
  filename: v.pipe(v.string(), v.nonEmpty('is required.'), maxCodePoints(MAX_PRESIGNED_NAME_LENGTH)),
  label: v.optional(label, null),
  folder_id: v.optional(folder_id, null),
  on_duplicate: termsFields.on_duplicate,
  digest: v.optional(digest),
  created_at: v.optional(createdAt),
});

export type Metadata = v.InferOutput<typeof fields>;

/** Checks the metadata. @throws Refusal `invalid` with the invalid fields and the errors in `others` */
export function parseMetadata(given: Readonly<Record<string, string>>, others: FieldErrors): Metadata {
  const parsed = v.safeParse(fields, given);
  const errors = { ...others, ...(parsed.success ? {} : fieldErrorsOf(parsed.issues)) };
  if (!parsed.success || Object.keys(errors).length > 0) throw new Refusal({ code: 'invalid', errors });
  return parsed.output;
}

/** Maximum characters of the header, which the service stores for clients that request it. */
const MAX_HEADER_LENGTH = 4096;

const KEY = /^[\x21-\x2b\x2d-\x7e]+$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Reads the keys and texts of an `Upload-Metadata` header (tus 1.0, "Creation"), without absent ones. The header may be
 * empty, because some clients always send it.
 *
 * @throws Refusal `invalid` on `upload_metadata`
 */
export function readMetadata(header: string | null): Readonly<Record<string, string>> {
  if ((header?.length ?? 0) > MAX_HEADER_LENGTH)
    throw invalid('upload_metadata', `The upload metadata must not have more than ${MAX_HEADER_LENGTH} characters.`);
  const found = new Map<string, string>();
  for (const pair of header ? header.split(',') : []) {
    const [key = '', value = '', ...rest] = pair.trim().split(' ');
    if (!KEY.test(key) || !BASE64.test(value) || rest.length > 0 || found.has(key)) throw malformed();
    found.set(key, decode(value));
  }
  return Object.fromEntries([...found].filter(([key, text]) => !isAbsent(key, text)));
}

function decode(base64: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    throw malformed();
  }
}

const malformed = (): Refusal =>
  invalid(
    'upload_metadata',
    'The upload metadata must be pairs of a key and a Base64 text in UTF-8, with commas between them.',
  );
