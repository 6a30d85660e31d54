import {
  codePointLength,
  hasUnsafeInProse,
  inputStem,
  MAX_LABEL_LENGTH,
  MAX_URL_LENGTH,
  NAME_LENGTH,
} from '@postshelf/domain';
import * as v from 'valibot';
import { maxCodePoints, pageQuery, rangeEnd, uuid, uuidOrRoot } from './common.ts';
import { notReversed } from './range.ts';

const inProse = v.check<string, string>((text) => !hasUnsafeInProse(text), 'must not contain control characters.');

/** An empty label is none. */
const label = v.nullable(
  v.pipe(
    v.string(),
    maxCodePoints(MAX_LABEL_LENGTH),
    inProse,
    v.transform((text) => (text === '' ? null : text.normalize('NFC'))),
  ),
);

const name = v.pipe(
  v.string(),
  v.check(
    (text) => codePointLength(inputStem(text)) >= NAME_LENGTH.min,
    `must be at least ${NAME_LENGTH.min} characters.`,
  ),
  v.check(
    (text) => codePointLength(inputStem(text)) <= NAME_LENGTH.max,
    `must not be greater than ${NAME_LENGTH.max} characters.`,
  ),
);

const folder_id = v.nullable(uuid);

/** The fields beside the files of a multipart upload. */
export const uploadFields = v.object({ label: v.optional(label, null), folder_id: v.optional(folder_id, null) });

/** A file by URL. Whether its host may be reached at all is found out when it is resolved. */
export const importRequest = v.object({
  url: v.pipe(
    v.string(),
    maxCodePoints(MAX_URL_LENGTH),
    v.check((text) => isHttpUrl(text), 'must be a valid http or https URL.'),
    v.check((text) => !hasCredentials(text), 'must not contain credentials.'),
  ),
  name: v.optional(v.nullable(name), null),
  label: v.optional(label, null),
  folder_id: v.optional(folder_id, null),
});

function hasCredentials(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.username !== '' || url.password !== '');
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol);
}

export const mediaChange = v.object({
  name: v.optional(name),
  label: v.optional(label),
  folder_id: v.optional(folder_id),
});

export const mediaQuery = v.pipe(
  v.object({
    ...pageQuery,
    folder_id: v.optional(uuidOrRoot),
    status: v.optional(v.picklist(['active', 'processing', 'failed', 'temporary'])),
    type: v.optional(v.picklist(['image', 'video'])),
    search: v.optional(v.pipe(v.string(), maxCodePoints(MAX_LABEL_LENGTH), inProse)),
    from: v.optional(rangeEnd),
    to: v.optional(rangeEnd),
  }),
  notReversed(),
);

const mediaFields = {
  id: v.string(),
  name: v.string(),
  full_name: v.string(),
  label: v.nullable(v.string()),
  link: v.string(),
  status: v.picklist(['active', 'processing', 'failed', 'temporary']),
  error_message: v.nullable(v.string()),
  size: v.nullable(v.number()),
  width: v.nullable(v.number()),
  height: v.nullable(v.number()),
  time: v.nullable(v.number()),
  folder_id: v.nullable(v.string()),
};

/** MediaContentResource of the interface: all fields always present; a cover has no cover. */
export const mediaContent = v.object({
  ...mediaFields,
  thumbnail: v.nullable(v.object({ ...mediaFields, thumbnail: v.null() })),
});

export type MediaContentResource = v.InferOutput<typeof mediaContent>;
