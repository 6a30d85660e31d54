import { MAX_URL_LENGTH, NAME_LENGTH } from '@postshelf/domain';
import * as v from 'valibot';
import { termsFields } from '../duplicates/schema.ts';
import { documented } from '../fields/documented.ts';
import { maxCodePoints } from '../fields/values.ts';
import { folder_id, label, mediaName } from '../media/schema.ts';

const NAME_OF_IMPORT = `${NAME_LENGTH.min} to ${NAME_LENGTH.max} characters, including an extension if there is one. The extension can be left out, because it is taken from the file. null or absent: the file name in the URL.`;

/** Fields of an import by URL. Whether the URL's host is allowed is only known when its name is resolved. */
const importFields = v.object({
  url: v.pipe(
    documented(v.string(), {
      description: 'Public http or https address of an image or a video, without credentials.',
      format: 'uri',
      maxLength: MAX_URL_LENGTH,
      examples: ['https://example.com/clip.mp4'],
    }),
    maxCodePoints(MAX_URL_LENGTH),
    v.check((text) => isHttpUrl(text), 'must be a valid http or https URL.'),
    v.check((text) => !hasCredentials(text), 'must not contain credentials.'),
    // Parsing a URL removes or encodes control characters, some of which can't be stored in a database.
    v.transform((text) => URL.parse(text)?.href ?? text),
  ),
  name: v.optional(documented(v.nullable(mediaName), { description: NAME_OF_IMPORT }), null),
  label: v.optional(label, null),
  folder_id: v.optional(folder_id, null),
  ...termsFields,
});

export const importRequest = documented(importFields, {
  title: 'MediaImport',
  description: 'The URL of a file to import, and the properties of its item.',
});

function hasCredentials(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.username !== '' || url.password !== '');
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol);
}
