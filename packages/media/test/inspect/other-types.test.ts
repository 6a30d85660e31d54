import { describe, expect, test } from 'bun:test';
import type { ConvertedType } from '@postshelf/domain';
import { sourceOf } from '@postshelf/testing/fixtures';
import { createMediaInspector } from '../../src/index.ts';
import { box, movie, track } from '../support/boxes.ts';
import { quadrants } from '../support/quadrants.ts';

const inspector = createMediaInspector();

const branded = (...[major, ...compatible]: readonly string[]): Uint8Array =>
  Buffer.concat([box('ftyp', Buffer.from(`${major}\0\0\0\0${compatible.join('')}`)), movie(track())]);

describe('a file of an unsupported type', () => {
  const HEIC = /^is a HEIC image\. Save it as JPEG\./;
  const HEIF = 'is an HEIF image. Save it as JPEG.';
  const AVIF = 'is an AVIF image. Save it as JPEG, PNG or WebP.';
  const CONVERTIBLE = new Map<unknown, ConvertedType>([
    [HEIC, 'image/heic'],
    [HEIF, 'image/heif'],
    [AVIF, 'image/avif'],
  ]);
  test.each([
    ...['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs'].map((brand) => [[brand], HEIC] as const),
    [['mif1', 'heic'], HEIC],
    [['mif2', 'mif1', 'heix'], HEIC],
    [['mif1'], HEIF],
    [['mif2'], HEIF],
    [['msf1', 'hevc'], HEIC],
    [['avif', 'mif1'], AVIF],
    [['mif1', 'avif', 'miaf'], AVIF],
    [['crx '], 'is a raw photo of a camera. Save it as JPEG.'],
    [['3gp5'], "is a 3GP video, which browsers and networks don't play. Convert it to MP4."],
    [['M4A '], 'is an audio file without a video.'],
  ] as const)('is named by its brands %p', async (brands, sentence) => {
    const bytes = branded(...brands);
    const fault = typeof sentence === 'string' ? sentence : expect.stringMatching(sentence);
    const convertible = CONVERTIBLE.get(sentence);
    const named = { type: null, fault, ...(convertible !== undefined && { convertible }) };
    expect(await inspector.inspect(sourceOf(bytes))).toEqual(named);
    expect(await inspector.recognise(bytes.subarray(0, inspector.headLength))).toEqual(named);
  });

  test.each([
    ['%PDF-1.7\n', 'is a PDF document. Export its pages as JPEG or PNG.'],
    ['II*\0\x08\0\0\0', 'is a TIFF image. Save it as JPEG.'],
    // libtiff, ImageMagick and GIMP write the directory behind the pixels.
    ['II*\0\xec\xea\x09\0', 'is a TIFF image. Save it as JPEG.'],
    ['MM\0*\0\x09\xea\xec', 'is a TIFF image. Save it as JPEG.'],
    ['BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0', 'is a BMP image. Save it as PNG or JPEG.'],
    ['RIFF\x10\0\0\0AVI LIST', 'is an AVI video. Convert it to MP4.'],
    ['fLaC\0\0\0\x22', 'is an audio file without a video.'],
  ])('is named by its first bytes %p', async (head, fault) => {
    const bytes = Buffer.concat([Buffer.from(head, 'latin1'), Buffer.alloc(100)]);
    expect(await inspector.inspect(sourceOf(bytes))).toEqual({ type: null, fault });
  });

  const PAGE = 'is a web page. Save the image or video itself, or use its own address.';
  const SVG = 'is an SVG image. Export it as PNG.';
  const BASE64 = 'is encoded in Base64. Decode it first.';
  test.each([
    ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'is an SVG image. Export it as PNG.'],
    ['\ufeff<?xml version="1.0"?>\n<!-- Inkscape -->\n<svg\n  width="10">', SVG],
    ['<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" ""><svg:svg xmlns:svg="">', SVG],
    ['<!DOCTYPE html><html><body><svg viewBox="0 0 1 1"/>', PAGE],
    ['\n\n<html lang="en"><title>Sign in</title>', PAGE],
    ['<!doctype HTML><p>404', PAGE],
    ['data:image/png;base64,iVBORw0KGgo', 'is the text of a data URL. Decode it first.'],
    [Buffer.from(quadrants()).toString('base64'), BASE64],
    [Buffer.from('ffd8ffe000104a464946', 'hex').toString('base64'), BASE64],
    [Buffer.from('GIF89a\x01\0').toString('base64'), BASE64],
    [Buffer.from('RIFF\x24\0\0\0WEBPVP8 ').toString('base64'), BASE64],
    [Buffer.from('\0\0\0\x20ftypisom\0\0').toString('base64'), BASE64],
  ])('is named by its text %p', async (text, fault) => {
    expect(await inspector.inspect(sourceOf(Buffer.from(text)))).toEqual({ type: null, fault });
  });

  test.each(['<?xml version="1.0"?><rss version="2.0"/>', '<3 this photo', '{"error": "not found"}'])(
    'with the text %p is not reported as an image or a web page',
    async (text) => {
      expect(await inspector.inspect(sourceOf(Buffer.from(text)))).toBeNull();
    },
  );

  test('is not named if its content is not recognised', async () => {
    expect(await inspector.inspect(sourceOf(Buffer.from('Words, and more words.')))).toBeNull();
  });
});
