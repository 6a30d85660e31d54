import { describe, expect, test } from 'bun:test';
import {
  type AnnouncedType,
  isAnnounced,
  isConvertedType,
  isMediaType,
  readAnnouncedType,
  typeInName,
} from '../../src/index.ts';

describe('readAnnouncedType', () => {
  test.each([
    ['image/heic', 'image/heic'],
    ['IMAGE/HEIF', 'image/heif'],
    ['image/avif; q=1', 'image/avif'],
    ['image/heic-sequence', 'image/heic'],
    ['image/jpg', 'image/jpeg'],
    ['video/mp4;codecs="avc1"', 'video/mp4'],
    ['image/jxl', null],
    ['image/heic2', null],
    ['', null],
  ] as const)('reads %p as %p', (mime, type) => {
    expect(readAnnouncedType(mime)).toBe(type);
  });
});

test.each([
  ['image/heic', 'image/heic', true],
  ['image/heif', 'image/heic', true],
  ['image/heic', 'image/heif', true],
  ['image/heif', 'image/avif', true],
  ['image/avif', 'image/heif', true],
  ['image/avif', 'image/heic', false],
  ['image/jpeg', 'image/heic', false],
  ['image/heic', 'image/jpeg', false],
  ['image/png', 'image/png', true],
] as const)('declared as %s, a file of type %s matches: %p', (announced, type, isWhat) => {
  expect(isAnnounced(announced, type)).toBe(isWhat);
});

test.each<[AnnouncedType, string]>([
  ['image/heic', 'image/jpeg'],
  ['image/webp', 'image/webp'],
])('a file declared as %s is named like %s', (announced, type) => {
  expect(typeInName(announced)).toBe(type as never);
  expect(isMediaType(announced)).toBe(!isConvertedType(announced));
});
