import { expect, test } from 'bun:test';
import { parseMetadata, readMetadata } from '../../../src/operations/resumable/metadata.ts';

/** Returns the header that tus-js-client sends for these values. It converts each value to a string. */
const headerOf = (metadata: object): string =>
  Object.entries(metadata)
    .map(([key, value]) => `${key} ${Buffer.from(String(value)).toString('base64')}`)
    .join(',');

test.each(['', null, undefined])('metadata with the value %p counts as absent, except for texts', (none) => {
  const absent = { folder_id: none, on_duplicate: none, created_at: none, digest: none };
  const metadata = readMetadata(headerOf({ filename: 'beach.jpg', ...absent, relativePath: none }));
  expect(metadata).toEqual({ filename: 'beach.jpg' });
  expect(parseMetadata(metadata, {})).toMatchObject({ filename: 'beach.jpg', label: null, folder_id: null });
});

test('a file and a label may be called null', () => {
  const texts = { filename: 'null', label: 'undefined' };
  expect(readMetadata(headerOf(texts))).toEqual(texts);
});
