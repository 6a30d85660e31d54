import type { MediaType } from '@postshelf/domain';
import { describeMediaInspector } from '@postshelf/testing/contracts/media/media-inspector';
import { FIXTURE_NAMES, fixture, OTHER_FIXTURE_NAMES, otherFixture } from '@postshelf/testing/fixtures';
import { createMediaInspector } from '../../src/index.ts';
import { box, boxHeader, descriptions, FILE_TYPE, movie, movieHeader, sampleTables, track } from '../support/boxes.ts';
import { gifOf } from '../support/frames.ts';

const readable = await Promise.all(
  FIXTURE_NAMES.map(async (name) => {
    const { path: _, bytes, ...facts } = await fixture(name);
    return { name, facts, bytes: await bytes() };
  }),
);

const [jpeg, png, gif, webp, mp4] = await Promise.all(
  (['jpeg', 'png', 'gif', 'webp', 'mp4-headers-last'] as const).map(async (name) => (await fixture(name)).bytes()),
);
if (!(jpeg && png && gif && webp && mp4)) throw new Error('unreachable');

const words = Buffer.from('These are words where a picture should be. '.repeat(100));
const broken: [string, MediaType, Uint8Array][] = [
  ['a JPEG start and words', 'image/jpeg', Buffer.concat([jpeg.subarray(0, 20), words])],
  ['a JPEG start and image data', 'image/jpeg', Buffer.from('ffd8ffda000801010000', 'hex')],
  ['a JPEG with neither width nor height', 'image/jpeg', withBytes(jpeg, jpeg.indexOf(0xc0, 20) + 4, [0, 0, 0, 0])],
  ['a PNG of width 0', 'image/png', withBytes(png, 16, [0, 0, 0, 0])],
  ['a PNG with a damaged header', 'image/png', withBytes(png, 19, [1])],
  ['a GIF signature and words', 'image/gif', Buffer.concat([gif.subarray(0, 6), words])],
  ['a GIF of 0 x 0 pixels', 'image/gif', gifOf({ width: 0, height: 0 }, { left: 0, top: 0, width: 0, height: 0 })],
  ['a WebP start and words', 'image/webp', Buffer.concat([webp.subarray(0, 12), words])],
  ['a WebP without the frame signature', 'image/webp', withBytes(webp, 23, [0, 0, 0])],
  ['an MP4 with words for a movie', 'video/mp4', Buffer.concat([FILE_TYPE, box('moov', words)])],
  ['an MP4 with text after its type', 'video/mp4', Buffer.concat([FILE_TYPE, words])],
  ['an MP4 without tracks', 'video/mp4', movie()],
  [
    'an MP4 without a duration',
    'video/mp4',
    Buffer.concat([
      FILE_TYPE,
      box('moov', movieHeader(0), track({ duration: 0, table: [descriptions(), ...sampleTables({ each: 0 })] })),
    ]),
  ],
];

const damaged: [string, MediaType, Uint8Array][] = [
  ['an MP4 without its end', 'video/mp4', mp4.subarray(0, mp4.length / 2)],
  ['an MP4 of nothing but a type', 'video/mp4', FILE_TYPE],
  [
    'an MP4 whose movie is longer than the file',
    'video/mp4',
    Buffer.concat([FILE_TYPE, boxHeader('moov', 5000), words]),
  ],
  ['a QuickTime movie without a movie', 'video/quicktime', box('mdat', words)],
  ['half a JPEG', 'image/jpeg', jpeg.subarray(0, jpeg.length / 2)],
  ['a JPEG that ends in its first segment', 'image/jpeg', jpeg.subarray(0, 15)],
  ['a PNG that ends after its header', 'image/png', png.subarray(0, 33)],
  ['a PNG without the last byte', 'image/png', png.subarray(0, -1)],
  ['a PNG with a wrong byte in its image data', 'image/png', withBytes(png, png.length - 40, [~(png.at(-40) ?? 0)])],
  ['a GIF that ends after its header', 'image/gif', gif.subarray(0, 13)],
  ['a GIF without its trailer', 'image/gif', gif.subarray(0, -1)],
  ['a WebP without its end', 'image/webp', webp.subarray(0, webp.length - 10)],
];

const BRANDS = ['heic', 'mif1', 'avif', 'M4A ', 'M4B ', '3gp5', '3g2a', 'crx '];
const other: [string, Uint8Array][] = [
  ['words', words],
  ['a PNG signature and words', Buffer.concat([png.subarray(0, 8), words])],
  ['zeros', Buffer.alloc(5000)],
  ['SVG', Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
  ['HTML', Buffer.from('<!doctype html><title>JPEG</title><script>alert(1)</script>')],
  ['a playlist', Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n')],
  ...BRANDS.map((brand): [string, Uint8Array] => [`the brand ${brand}`, Buffer.concat([ftyp(brand), movie(track())])]),
  ...(await Promise.all(
    OTHER_FIXTURE_NAMES.filter((name) => name !== 'mp4-sound-only').map(
      async (name): Promise<[string, Uint8Array]> => [name, await (await otherFixture(name)).bytes()],
    ),
  )),
];

describeMediaInspector('our own walks and mediabunny', createMediaInspector, {
  readable,
  broken: broken.map(sampleOf),
  damaged: damaged.map(sampleOf),
  other: other.map(([name, bytes]) => ({ name, bytes })),
});

function sampleOf([name, type, bytes]: readonly [string, MediaType, Uint8Array]) {
  return { name, type, bytes };
}

function withBytes(original: Uint8Array, offset: number, bytes: readonly number[]): Uint8Array {
  const changed = original.slice();
  changed.set(bytes, offset);
  return changed;
}

function ftyp(brand: string): Uint8Array {
  return box('ftyp', Buffer.from(`${brand}\0\0\0\0${brand}`));
}
