import { describe, expect, test } from 'bun:test';
import { sourceOf } from '@postshelf/testing/fixtures';
import { createMediaInspector } from '../../src/index.ts';
import { box, movie, track } from '../support/boxes.ts';

const inspector = createMediaInspector();

const branded = (...[major, ...compatible]: readonly string[]): Uint8Array =>
  Buffer.concat([box('ftyp', Buffer.from(`${major}\0\0\0\0${compatible.join('')}`)), movie(track())]);

describe('A file of a type that is not taken is named', () => {
  const HEIC = /^is a HEIC image\. Save it as JPEG\./;
  const HEIF = 'is an HEIF image. Save it as JPEG.';
  const AVIF = 'is an AVIF image. Save it as JPEG, PNG or WebP.';
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
  ] as const)('brands %p', async (brands, sentence) => {
    const bytes = branded(...brands);
    const fault = typeof sentence === 'string' ? sentence : expect.stringMatching(sentence);
    expect(await inspector.inspect(sourceOf(bytes))).toEqual({ type: null, fault });
    expect(await inspector.recognise(bytes.subarray(0, inspector.headLength))).toEqual({ type: null, fault });
  });

  test.each([
    ['%PDF-1.7\n', 'is a PDF document. Export its pages as JPEG or PNG.'],
    ['II*\0\x08\0\0\0', 'is a TIFF image. Save it as JPEG.'],
    ['BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0', 'is a BMP image. Save it as PNG or JPEG.'],
    ['RIFF\x10\0\0\0AVI LIST', 'is an AVI video. Convert it to MP4.'],
    ['fLaC\0\0\0\x22', 'is an audio file without a video.'],
  ])('beginning with %p', async (head, fault) => {
    const bytes = Buffer.concat([Buffer.from(head, 'latin1'), Buffer.alloc(100)]);
    expect(await inspector.inspect(sourceOf(bytes))).toEqual({ type: null, fault });
  });

  test('but not one of which nothing is known', async () => {
    expect(await inspector.inspect(sourceOf(Buffer.from('Words, and more words.')))).toBeNull();
  });
});
