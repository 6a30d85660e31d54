import { describe, expect, test } from 'bun:test';
import {
  type ActiveMedia,
  parsePreviewPath,
  parseUuid,
  previewPath,
  previewSizes,
  previewSubject,
} from '../../src/index.ts';

describe('the sizes of previews', () => {
  test.each([
    // A preview is never wider than the image. Its height is in proportion, rounded to the nearest pixel.
    [4000, 3000, ['160x120', '320x240', '640x480', '1280x960']],
    [1280, 853, ['160x107', '320x213', '640x427', '1280x853']],
    [1279, 853, ['160x107', '320x213', '640x427']],
    [160, 1, ['160x1']],
    // This image is narrower than the narrowest preview.
    [159, 90, ['159x90']],
    [1, 1, ['1x1']],
    [65_535, 1, ['160x1', '320x1', '640x1', '1280x1']],
    // Previews that would be too tall are left out.
    [160, 8192, ['160x8192']],
    [160, 8193, []],
    [640, 16_384, ['160x4096', '320x8192']],
    [1, 65_535, []],
  ])('of an image with %i x %i pixels are %j', (width, height, expected) => {
    expect(previewSizes({ width, height }).map((size) => `${size.width}x${size.height}`)).toEqual(expected);
  });
});

describe('the path of a preview', () => {
  const [workspaceId, id] = [
    parseUuid('0197c3e0-0000-7000-8000-000000000001'),
    parseUuid('0197c3e0-0000-7000-8000-00000000000a'),
  ];
  if (!workspaceId || !id) throw new Error('no UUIDs');
  const path = previewPath({ workspaceId, id, width: 320 });

  test('is parsed into the values that it was built from', () => {
    expect(path).toBe(`${workspaceId}/${id}/320.webp`);
    expect(parsePreviewPath(path)).toEqual({ workspaceId, id, width: 320 });
  });

  test.each([
    ['an empty text', ''],
    ['another extension', path.replace('.webp', '.jpg')],
    ['upper case', path.toUpperCase()],
    ['a width with a leading zero', path.replace('320', '0320')],
    ['no width', path.replace('320', '')],
    ['a width of five digits', path.replace('320', '32000')],
    ['another segment at the end', `${path}/x`],
    ['dots at the start', `../${path}`],
    ['an invalid UUID', path.replace('0197c3e0', 'zzzzzzzz')],
    ['a second spelling of a UUID', path.replaceAll('-', '')],
    ['an escaped slash', path.replace('/', '%2F')],
  ])("can't be parsed from %s", (_, text) => {
    expect(parsePreviewPath(text)).toBeNull();
  });
});

test('the source of previews is an active image, or the cover of an active video', () => {
  const content = (type: 'image/png' | 'video/mp4') =>
    ({ status: 'active', content: { type } }) as unknown as ActiveMedia;
  const [image, video, cover] = [content('image/png'), content('video/mp4'), content('image/png')];
  expect(previewSubject({ item: image, cover: null })).toBe(image);
  expect(previewSubject({ item: video, cover })).toBe(cover);
  expect(previewSubject({ item: video, cover: null })).toBeNull();
  expect(previewSubject({ item: { ...image, status: 'failed', errorMessage: 'x' }, cover: null })).toBeNull();
});
