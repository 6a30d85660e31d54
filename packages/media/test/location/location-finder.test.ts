import { describe, expect, test } from 'bun:test';
import { deflateSync } from 'node:zlib';
import { lengthOf, type MediaType, patched } from '@postshelf/domain';
import {
  exifSegment,
  fixture,
  hasSoundCrcs,
  insertIntoJpeg,
  insertIntoPng,
  jpegSegment,
  PLACE_TEXT,
  PLACE_VALUE,
  PLACE_XMP,
  placeExif,
  placeGif,
  placeJpeg,
  placePng,
  placeWebp,
  pngChunk,
  sourceOf,
  xmpSegment,
} from '@postshelf/testing/fixtures';
import fc from 'fast-check';
import { createLocationFinder, createMediaInspector, pixelsDecode } from '../../src/index.ts';
import { box, boxHeader, descriptions, FILE_TYPE, movie, movieHeader, track, uint32s } from '../support/boxes.ts';

const finder = createLocationFinder();
const inspector = createMediaInspector({
  pixelsDecode: async (type, source) => pixelsDecode(type, await source.read(0, source.size)),
});

const PLACE = Buffer.from(PLACE_TEXT);
const COMPRESSED = deflateSync(PLACE_XMP);
/** The coordinates, in every notation. */
const MARKS = [PLACE, PLACE_VALUE, Buffer.from(PLACE_VALUE.toString('hex')), COMPRESSED];

const [jpeg, png, gif, webp, mp4, mov] = await Promise.all(
  (['jpeg', 'png', 'gif', 'webp', 'mp4', 'mov'] as const).map(async (name) => (await fixture(name)).bytes()),
);
if (!(jpeg && png && gif && webp && mp4 && mov)) throw new Error('unreachable');

const text = (keyword: string, ...rest: readonly (string | Uint8Array)[]) =>
  Buffer.concat([Buffer.from(`${keyword}\0`), ...rest.map((one) => Buffer.from(one))]);
const hex = (bytes: Uint8Array) => `\nexif\n    ${bytes.length}\n${Buffer.from(bytes).toString('hex')}\n`;
/** Replaces the offset of the EXIF sub-directory with an offset outside of the block. */
const broken = (exif: Uint8Array) => {
  const bytes = Buffer.from(exif);
  bytes.writeUInt32BE(0x00ffffff, bytes.indexOf(Buffer.from('8769000400000001', 'hex')) + 8);
  return bytes;
};

const XMP_UUID = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');
/** Resources of Photoshop: a caption, EXIF and XMP. */
const photoshopResource = (number: number, data: Uint8Array) => {
  const head = Buffer.from('8BIM\0\0\0\0\0\0\0\0', 'latin1');
  head.writeUInt16BE(number, 4);
  head.writeUInt32BE(data.length, 8);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
};
const PHOTOSHOP = Buffer.concat([
  photoshopResource(0x0404, Buffer.from('A caption')),
  photoshopResource(0x0422, placeExif(1, false)),
  photoshopResource(0x0424, Buffer.from(PLACE_XMP)),
]);

const MOVIE_START = Buffer.concat([FILE_TYPE, box('mdat', PLACE, PLACE)]);
const at = (sample: number) => FILE_TYPE.length + 8 + sample * PLACE.length;
/** Returns a movie whose second track has two samples of positions. */
const withTrack = (description: Uint8Array, handler = 'meta') => {
  const places = [box('stsc', uint32s(0, 1, 1, 1, 1)), box('stsz', uint32s(0, PLACE.length, 2))];
  const table = [descriptions([description]), ...places, box('stco', uint32s(0, 2, at(0), at(1)))];
  return Buffer.concat([MOVIE_START, box('moov', movieHeader(2000), track(), track({ id: 2, handler, table }))]);
};
const keyed = (version: Uint8Array, key: string, ...more: readonly Uint8Array[]) => {
  const keys = box(
    'keys',
    uint32s(0, 2),
    box('mdta', Buffer.from('com.apple.quicktime.make')),
    box('mdta', Buffer.from(key)),
  );
  const item = (index: number, value: Uint8Array) =>
    Buffer.concat([uint32s(8 + 16 + value.length, index), box('data', uint32s(1, 0), value)]);
  const list = box('ilst', item(1, Buffer.from('Apple')), item(2, PLACE));
  return movie(
    track(),
    box('meta', version, box('hdlr', uint32s(0, 0), Buffer.from('mdta'), Buffer.alloc(13)), keys, list, ...more),
  );
};
const dashcam = () => {
  const block = box('free', Buffer.from('GPS '), PLACE);
  const list = box('gps ', uint32s(0x101, 1, FILE_TYPE.length + 8, block.length));
  return Buffer.concat([FILE_TYPE, box('mdat', block), box('moov', movieHeader(2000), track(), list)]);
};

const KEPT = ['A tower'];

/** Files with coordinates, each with the texts that must remain in the file. */
const PLACED: readonly (readonly [string, MediaType, Uint8Array, (readonly string[])?])[] = [
  ['JPEG: EXIF, in either byte order, its thumbnails, and XMP', 'image/jpeg', placeJpeg(jpeg), ['A tower', 'Paris']],
  ['JPEG: little-endian EXIF', 'image/jpeg', placeJpeg(jpeg, 8, true), KEPT],
  ['JPEG: EXIF that cannot be followed', 'image/jpeg', insertIntoJpeg(jpeg, exifSegment(broken(placeExif(1, false))))],
  ['JPEG: truncated XMP', 'image/jpeg', insertIntoJpeg(jpeg, xmpSegment(PLACE_XMP.slice(0, -200)))],
  [
    'JPEG: a piece of extended XMP',
    'image/jpeg',
    insertIntoJpeg(jpeg, jpegSegment(1, text('http://ns.adobe.com/xmp/extension/', 'G'.repeat(40), PLACE_XMP))),
  ],
  [
    'JPEG: claims of C2PA',
    'image/jpeg',
    insertIntoJpeg(jpeg, jpegSegment(11, text('JP', `exif:GPSLatitude ${PLACE_TEXT}`))),
  ],
  [
    'JPEG: a second image and a video after it',
    'image/jpeg',
    Buffer.concat([jpeg, placeJpeg(jpeg), keyed(uint32s(), 'location')]),
  ],
  [
    'JPEG: a video after a scan without an end marker',
    'image/jpeg',
    Buffer.concat([
      jpeg.subarray(0, -2),
      Buffer.from('\0\0\x30\x0a\x10\0\0\0MotionPhoto_Data'),
      keyed(uint32s(), 'location'),
    ]),
  ],
  [
    'JPEG: a video after a second image without an end marker',
    'image/jpeg',
    Buffer.concat([jpeg, placeJpeg(jpeg).subarray(0, -2), keyed(uint32s(), 'location')]),
  ],
  [
    'JPEG: EXIF and XMP among resources of Photoshop',
    'image/jpeg',
    insertIntoJpeg(jpeg, jpegSegment(13, text('Photoshop 3.0', PHOTOSHOP))),
    ['A caption'],
  ],
  [
    'JPEG: EXIF alone among resources of Photoshop',
    'image/jpeg',
    insertIntoJpeg(jpeg, jpegSegment(13, text('Photoshop 3.0', photoshopResource(0x0422, placeExif(1, true))))),
    KEPT,
  ],
  [
    'PNG: resources of Photoshop as digits',
    'image/png',
    insertIntoPng(png, pngChunk('tEXt', text('Raw profile type 8bim', hex(PHOTOSHOP)))),
  ],
  ['PNG: EXIF and XMP', 'image/png', placePng(png), KEPT],
  ['PNG: EXIF that cannot be followed', 'image/png', insertIntoPng(png, pngChunk('eXIf', broken(placeExif(1, false))))],
  [
    'PNG: texts of ImageMagick',
    'image/png',
    insertIntoPng(png, pngChunk('tEXt', text('exif:GPSLatitude', PLACE_TEXT))),
  ],
  [
    'PNG: EXIF as digits',
    'image/png',
    insertIntoPng(png, pngChunk('tEXt', text('Raw profile type exif', hex(placeExif(1, true))))),
  ],
  [
    'PNG: compressed XMP',
    'image/png',
    insertIntoPng(png, pngChunk('iTXt', text('XML:com.adobe.xmp', '\x01\0\0\0', COMPRESSED))),
  ],
  ['WebP: EXIF and XMP', 'image/webp', placeWebp(webp, 160, 96), KEPT],
  ['GIF: XMP', 'image/gif', placeGif(gif), KEPT],
  ['MP4: a box of the track', 'video/mp4', movie(track(), box('udta', box('\xa9xyz', PLACE), box('loci', PLACE)))],
  [
    'QuickTime: metadata by key',
    'video/quicktime',
    keyed(uint32s(), 'com.apple.quicktime.location.ISO6709'),
    ['Apple'],
  ],
  [
    'QuickTime: metadata by key before a damaged box',
    'video/quicktime',
    keyed(uint32s(), 'com.apple.quicktime.location.ISO6709', boxHeader('free', 4)),
    ['Apple'],
  ],
  [
    'MP4: a box after damaged metadata',
    'video/mp4',
    movie(track(), box('udta', box('meta', uint32s(0), boxHeader('hdlr', 4)), box('\xa9xyz', PLACE))),
  ],
  [
    'MP4: a box that claims to extend past its parent',
    'video/mp4',
    movie(track(), box('udta', boxHeader('\xa9xyz', 999), PLACE)),
  ],
  ['MP4: metadata by key', 'video/mp4', keyed(uint32s(0), 'com.apple.quicktime.location.ISO6709'), ['Apple']],
  ['MP4: XMP in a box', 'video/mp4', Buffer.concat([mp4, box('uuid', XMP_UUID, Buffer.from(PLACE_XMP))]), KEPT],
  ['MP4: XMP in user data', 'video/mp4', movie(track(), box('udta', box('XMP_', Buffer.from(PLACE_XMP)))), KEPT],
  [
    'MP4: XML of a camera',
    'video/mp4',
    movie(
      track(),
      box('meta', uint32s(0), box('xml ', uint32s(0), Buffer.from(`<Item name="Latitude" value="${PLACE_TEXT}"/>`))),
    ),
  ],
  ["MP4: GoPro's track", 'video/mp4', withTrack(box('gpmd', Buffer.alloc(8)))],
  [
    "MP4: Apple's track of metadata",
    'video/mp4',
    withTrack(box('mebx', Buffer.alloc(8), box('keys', Buffer.from('mdtacom.apple.quicktime.location.ISO6709')))),
  ],
  ['MP4: blocks of a dashcam', 'video/mp4', dashcam()],
];

async function strip(type: MediaType, bytes: Uint8Array): Promise<Uint8Array | null> {
  const before = Bun.hash(bytes);
  const patches = await finder.find(type, sourceOf(bytes));
  expect(Bun.hash(bytes)).toBe(before);
  if (patches === null) return null;
  let end = 0;
  for (const patch of patches) {
    expect(patch.offset).toBeGreaterThanOrEqual(end);
    end = patch.offset + lengthOf(patch);
    expect(lengthOf(patch)).toBeGreaterThan(0);
  }
  expect(end).toBeLessThanOrEqual(bytes.length);
  const pieces: Uint8Array[] = [];
  // Pieces of this length end in the middle of some patches.
  for await (const piece of patched(sourceOf(bytes), patches, 97)) pieces.push(piece);
  return Buffer.concat(pieces);
}

const UNPLACED: readonly (readonly [string, MediaType, Uint8Array])[] = [
  ['a JPEG', 'image/jpeg', jpeg],
  ['a JPEG with names of places alone', 'image/jpeg', insertIntoJpeg(jpeg, xmpSegment('<a photoshop:City="Paris"/>'))],
  ['a PNG with a text about GPS', 'image/png', insertIntoPng(png, pngChunk('tEXt', text('Comment', 'GPS latitude')))],
  ['a GIF', 'image/gif', gif],
  ['a WebP', 'image/webp', webp],
  ['an MP4', 'video/mp4', mp4],
  ['a QuickTime video', 'video/quicktime', mov],
  ['an MP4 with a track of subtitles', 'video/mp4', withTrack(box('wvtt', Buffer.alloc(8)), 'text')],
];

const inspect = (bytes: Uint8Array) => inspector.inspect(sourceOf(bytes));

describe('removing coordinates', () => {
  test.each([...PLACED])('clears them from %s', async (_, type, bytes, kept = []) => {
    const has = (file: Uint8Array, mark: Uint8Array | string) => Buffer.from(file).includes(mark);
    expect(MARKS.some((mark) => has(bytes, mark))).toBe(true);
    const stripped = await strip(type, bytes);
    if (!stripped) throw new Error('refused');
    expect(stripped.length).toBe(bytes.length);
    for (const mark of [...MARKS, 'GPSL']) expect(has(stripped, mark)).toBe(false);
    for (const words of kept) expect(has(stripped, words)).toBe(true);
    // The result is still the same picture, with the same size and orientation. Nothing more is found in it.
    expect(await inspect(stripped)).toEqual(await inspect(bytes));
    expect(await finder.find(type, sourceOf(stripped))).toEqual([]);
    if (type === 'image/png') expect(hasSoundCrcs(stripped)).toBe(true);
  });

  test('clears them from the subtitles of a drone video', async () => {
    const video = withTrack(box('tx3g', Buffer.alloc(8)), 'text');
    const said = Buffer.from(video);
    said.write('GPS(2.29,48.85)', at(0), 'latin1');
    expect(await finder.find('video/mp4', sourceOf(video))).toEqual([]);
    expect(Buffer.from((await strip('video/mp4', said)) ?? []).subarray(at(0), at(2))).toEqual(
      Buffer.alloc(2 * PLACE.length),
    );
  });
});

test.each([...UNPLACED])('the location finder leaves %s unchanged', async (_, type, bytes) => {
  expect(await finder.find(type, sourceOf(bytes))).toEqual([]);
});

test('location patches lie inside the file and do not overlap', async () => {
  const samples = fc.constantFrom(...PLACED, ...UNPLACED);
  const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 12 });
  const check = async ([, type, bytes]: (typeof PLACED)[number], changes: [number, number][], cut: number) => {
    const file = Buffer.from(bytes.subarray(0, bytes.length - (cut % bytes.length)));
    for (const [offset, value] of changes) file[offset % file.length] = value;
    const stripped = await strip(type, file);
    if (stripped) expect(await finder.find(type, sourceOf(stripped))).toEqual([]);
  };
  const cuts = fc.oneof(fc.constant(0), fc.nat());
  await fc.assert(fc.asyncProperty(samples, damage, cuts, check), { numRuns: 500 });
});
