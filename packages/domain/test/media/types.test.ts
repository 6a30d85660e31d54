import { describe, expect, test } from 'bun:test';
import { extensionOf, isMediaType, kindOf, MEDIA_TYPES, type MediaKind, type MediaType } from '../../src/index.ts';

const SIX: [MediaType, MediaKind, string][] = [
  ['image/jpeg', 'image', 'jpg'],
  ['image/png', 'image', 'png'],
  ['image/gif', 'image', 'gif'],
  ['image/webp', 'image', 'webp'],
  ['video/mp4', 'video', 'mp4'],
  ['video/quicktime', 'video', 'mov'],
];

describe('the six media types', () => {
  test.each(SIX)('%s is of kind %s with the extension .%s', (type, kind, extension) => {
    expect(isMediaType(type)).toBe(true);
    expect(kindOf(type)).toBe(kind);
    expect(extensionOf(type)).toBe(extension);
  });

  test('are all there are', () => {
    expect(Object.keys(MEDIA_TYPES).sort()).toEqual(SIX.map(([type]) => type).sort());
  });
});

test.each([
  '',
  'image/heic',
  'image/avif',
  'image/svg+xml',
  'audio/mp4',
  'image/jpg',
  'IMAGE/JPEG',
  'image/jpeg; charset=utf-8',
  ' image/jpeg',
  'toString',
  '__proto__',
  'constructor',
])('%p is none of them', (mime) => {
  expect(isMediaType(mime)).toBe(false);
});
