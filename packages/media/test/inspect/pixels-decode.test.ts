import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type ByteSource, isSound, Refusal } from '@postshelf/domain';
import { fixture, insertIntoJpeg, jpegSegment, sourceOf } from '@postshelf/testing/fixtures';
import { thrownBy } from '@postshelf/testing/outcomes';
import { createMediaInspector, createPixelCheck, pixelsDecode } from '../../src/index.ts';
import type { ImageType } from '../../src/inspect/dimensions.ts';
import { DECODER } from '../support/decoder.ts';
import { GIF_END, GRAPHIC_CONTROL, gifFrame, gifOf, gifStart } from '../support/frames.ts';
import { noise } from '../support/quadrants.ts';

const inProcess = async (type: ImageType, source: ByteSource) => pixelsDecode(type, await source.read(0, source.size));
const inspector = createMediaInspector({ pixelsDecode: inProcess });
const inspect = (bytes: Uint8Array) => inspector.inspect(sourceOf(bytes));

const SIZE = { width: 64, height: 48 };
const photo = noise(SIZE);
const baseline = Buffer.from(await new Bun.Image(photo).jpeg({ quality: 90 }).bytes());
const progressive = Buffer.from(await new Bun.Image(photo).jpeg({ quality: 90, progressive: true }).bytes());

/**
 * The beginning of the data that Samsung's phones append: a directory of parts, and a video with markers in its bytes.
 */
const trailer = Buffer.concat([
  Buffer.from('\0\0\x30\x0a\x10\0\0\0MotionPhoto_Data'),
  Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0isommp42\0\0\0\x20mdat', 'latin1'),
  Buffer.from('0011ff02ffe000104a464946ffc0000bff5a', 'hex'),
  Buffer.from('SEFH\x6b\0\0\0\x01\0\0\0\0\0\x30\x0aSEFT', 'latin1'),
]);

describe.each([
  ['baseline', baseline],
  ['progressive', progressive],
])('a %s JPEG without an end marker', (_, whole) => {
  const open = whole.subarray(0, -2);
  const facts = { type: 'image/jpeg', ...SIZE, time: null, details: { image: { frames: 1, hasAlpha: false } } };

  test('is complete if nothing else is missing, whatever follows', async () => {
    expect(await inspect(open)).toMatchObject(facts);
    expect(await inspect(whole.subarray(0, -1))).toMatchObject(facts);
    for (const tail of [trailer, Buffer.from('words'), Buffer.alloc(5000), whole, Buffer.from('ff01', 'hex')])
      expect(await inspect(Buffer.concat([open, tail]))).toMatchObject(facts);
  });

  test('is damaged if any byte of a scan is missing', async () => {
    for (let length = open.length - 1; length > 700; length -= length > open.length - 200 ? 1 : 37)
      if ((await inspect(open.subarray(0, length))) !== 'damaged') throw new Error(`${length} bytes are taken.`);
  });

  test('is damaged if bytes of a scan are missing before data that a phone appended', async () => {
    for (let cut = 1; cut <= 200; cut += 1) {
      const bytes = Buffer.concat([open.subarray(0, -cut), trailer]);
      if ((await inspect(bytes)) !== 'damaged') throw new Error(`A cut of ${cut} bytes is taken.`);
    }
  });

  test('is damaged if its second half is zeros', async () => {
    expect(await inspect(Buffer.from(open).fill(0, open.length >> 1))).toBe('damaged');
  });
});

describe('a JPEG of an unusual form without an end marker', () => {
  /**
   * The files were made by libjpeg's cjpeg from a gradient of 48 x 32. One has restart intervals of one MCU, the other
   * has arithmetic coding.
   */
  test.each([
    ['baseline with restart intervals', 'restarts.jpg', true],
    ['progressive with restart intervals', 'restarts-progressive.jpg', true],
    ['in one component', 'grey.jpg', true],
    ['in four components', 'cmyk.jpg', true],
    ['with chroma of half the width', 'half.jpg', true],
    // Arithmetic coding isn't checked, so this file can't be distinguished from a file that was cut off.
    ['of arithmetic coding', 'arithmetic.jpg', false],
  ])('is complete if it is %s: %p', async (_, name, isWhole) => {
    const bytes = await Bun.file(join(import.meta.dir, 'scans', name)).bytes();
    expect(isSound(await inspect(bytes))).toBe(true);
    expect(isSound(await inspect(bytes.subarray(0, -2)))).toBe(isWhole);
    expect(await inspect(bytes.subarray(0, -5))).toBe('damaged');
  });

  test('is damaged if a scan of a progressive image or a restart interval is missing', async () => {
    const lastScan = progressive.lastIndexOf(Buffer.from([0xff, 0xda]));
    const tables = progressive.lastIndexOf(Buffer.from([0xff, 0xc4]), lastScan);
    expect(await inspect(progressive.subarray(0, tables))).toBe('damaged');
    const restarts = Buffer.from(await Bun.file(join(import.meta.dir, 'scans', 'restarts.jpg')).bytes());
    const marker = restarts.indexOf(Buffer.from([0xff, 0xd3]));
    const without = Buffer.concat([restarts.subarray(0, marker), restarts.subarray(marker + 2, -2)]);
    expect(await inspect(without)).toBe('damaged');
  });

  test('is complete with more than 32 MB of segments before its frame', async () => {
    const segments = Array.from({ length: 530 }, () => jpegSegment(2, Buffer.alloc(65_533, 0x41)));
    const bytes = insertIntoJpeg(baseline, ...segments);
    expect(bytes.length).toBeGreaterThan(33 * 1024 * 1024);
    expect(await inspect(bytes)).toMatchObject(SIZE);
    expect(await inspect(bytes.subarray(0, -2))).toMatchObject(SIZE);
  });
});

describe('a GIF without a trailer', () => {
  const all = { left: 0, top: 0, ...SIZE };
  const still = gifOf(SIZE, all);
  const animated = Buffer.concat([gifStart(SIZE), GRAPHIC_CONTROL, gifFrame(all), GRAPHIC_CONTROL, gifFrame(all)]);
  const framesOf = async (bytes: Uint8Array) => {
    const facts = await inspect(bytes);
    return isSound(facts) ? [facts.width, facts.height, facts.details?.image?.frames] : facts;
  };

  test('is complete if all pixels of all its frames decode', async () => {
    expect(await framesOf(still.subarray(0, -1))).toEqual([64, 48, 1]);
    expect(await framesOf(animated)).toEqual([64, 48, 2]);
    // The terminator of the data may be missing, or may be followed by zeros.
    expect(await framesOf(still.subarray(0, -2))).toEqual([64, 48, 1]);
    expect(await framesOf(Buffer.concat([still.subarray(0, -1), Buffer.alloc(3)]))).toEqual([64, 48, 1]);
  });

  test('is complete with other bytes in its place, at which browsers end, unless a frame follows them', async () => {
    const stray = Buffer.from('GIF89a');
    expect(await framesOf(Buffer.concat([animated, stray, GIF_END]))).toEqual([64, 48, 2]);
    expect(await framesOf(Buffer.concat([still.subarray(0, -1), stray]))).toEqual([64, 48, 1]);
    const more = Buffer.concat([GRAPHIC_CONTROL, gifFrame(all), GIF_END]);
    expect(await framesOf(Buffer.concat([animated, stray, more]))).toBe('damaged');
    expect(await framesOf(Buffer.concat([still.subarray(0, -1), GRAPHIC_CONTROL, stray, GIF_END]))).toBe('damaged');
  });

  test('is damaged if a pixel of any frame or the frame after a control extension is missing', async () => {
    for (let cut = 4; cut < 400; cut += 1) {
      expect([cut, await framesOf(still.subarray(0, -cut))]).toEqual([cut, 'damaged']);
      expect([cut, await framesOf(animated.subarray(0, -cut))]).toEqual([cut, 'damaged']);
    }
    expect(await framesOf(Buffer.concat([still.subarray(0, -1), GRAPHIC_CONTROL]))).toBe('damaged');
    expect(await framesOf(Buffer.concat([still.subarray(0, -1), Buffer.from('21fe05', 'hex')]))).toBe('damaged');
  });

  test.each([
    ['0 x 0', { width: 0, height: 0 }, all, [64, 48]],
    ['0 x 0 with an offset frame', { width: 0, height: 0 }, { ...all, left: 10, top: 5 }, [74, 53]],
    ['0 pixels wide', { width: 0, height: 60 }, all, [64, 60]],
    ['smaller than the frame', { width: 20, height: 10 }, all, [64, 48]],
    ['partly covered by an offset frame', SIZE, { ...all, left: 30, top: 20 }, [94, 68]],
    ['larger than the frame', { width: 100, height: 80 }, all, [100, 80]],
  ] as const)('has the canvas that Chromium shows if its screen is %s', async (_, screen, frame, [width, height]) => {
    expect(await framesOf(gifOf(screen, frame))).toEqual([width, height, 1]);
    expect(await framesOf(Buffer.concat([gifStart(screen), gifFrame(frame), gifFrame(all), GIF_END]))).toEqual([
      width,
      height,
      2,
    ]);
  });
});

describe('the confined child that decodes pixels', () => {
  const confined = createMediaInspector({ pixelsDecode: createPixelCheck({ command: DECODER }) });
  const still = gifOf(SIZE, { left: 0, top: 0, ...SIZE });

  test('judges several concurrent files correctly', async () => {
    const files = [baseline, progressive].flatMap((bytes) => [bytes.subarray(0, -2), bytes.subarray(0, -9)]);
    const verdicts = [...files, still.subarray(0, -1), still.subarray(0, -9)].map((bytes) =>
      confined.inspect(sourceOf(bytes)),
    );
    const areSound = (await Promise.all(verdicts)).map(isSound);
    expect(areSound).toEqual([true, false, true, false, true, false]);
  });

  test('reports a file that takes too long as damaged', async () => {
    // The kernel sends this signal at the limit on CPU time, which a test of previews really uses up.
    const slow = createPixelCheck({ command: ['/bin/sh', '-c', 'printf "postshelf previews 1\\n"; kill -XCPU $$'] });
    expect(await slow('image/jpeg', sourceOf(baseline.subarray(0, -2)))).toBe(false);
  });

  test('gives no verdict if its program is missing', async () => {
    const missing = createPixelCheck({ command: ['/nowhere/program'] });
    const refused = missing('image/jpeg', sourceOf(baseline.subarray(0, -2)));
    expect(await thrownBy(refused)).toBeInstanceOf(Refusal);
    expect(await thrownBy(refused)).toMatchObject({ problem: { code: 'unavailable' } });
  });

  test('does not decode files with an end marker or above 256 MB', async () => {
    const never = createMediaInspector({ pixelsDecode: () => Promise.reject(new Error('It was decoded.')) });
    expect(isSound(await never.inspect(sourceOf(baseline)))).toBe(true);
    const large = { size: 256 * 1024 * 1024 + 1, read: () => Promise.reject(new Error('It was read.')) };
    expect(await createPixelCheck({ command: ['/nowhere/program'] })('image/gif', large)).toBe(false);
  });
});

test('the JPEG fixtures decode completely without their end marker', async () => {
  for (const name of ['jpeg', 'jpeg-turned', 'jpeg-late-frame', 'jpeg-progressive'] as const) {
    const bytes = await (await fixture(name)).bytes();
    expect(isSound(await inspect(bytes.subarray(0, -2)))).toBe(true);
  }
});
