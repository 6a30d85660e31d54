import { describe, expect, test } from 'bun:test';
import {
  extensionOf,
  isMediaType,
  kindOf,
  MEDIA_TYPES,
  type MediaKind,
  type MediaType,
  readMediaType,
} from '../../src/index.ts';

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

  test('are the only ones', () => {
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
])('%p is not a media type', (mime) => {
  expect(isMediaType(mime)).toBe(false);
});

describe('readMediaType', () => {
  test.each([
    ...SIX.map(([type]) => [type, type] as const),
    ['IMAGE/JPEG', 'image/jpeg'],
    ['Video/QuickTime', 'video/quicktime'],
    ['image/jpg', 'image/jpeg'],
    ['image/pjpeg', 'image/jpeg'],
    ['image/apng', 'image/png'],
    ['image/x-png', 'image/png'],
    ['video/x-m4v', 'video/mp4'],
    ['video/mp4;codecs="avc1.42E01E, mp4a.40.2"', 'video/mp4'],
    [' image/webp ; charset=binary', 'image/webp'],
    ['image/heic', null],
    ['image/svg+xml', null],
    ['audio/mp4', null],
    ['constructor', null],
    ['', null],
    [';image/jpeg', null],
  ] as const)('reads %p as %p', (mime, type) => {
    expect(readMediaType(mime)).toBe(type);
  });
});
