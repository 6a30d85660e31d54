import { expect } from 'bun:test';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ByteSource,
  type FitAttempt,
  type FitOrder,
  findTarget,
  isSound,
  judgeFitted,
  planFit,
  type Target,
} from '@postshelf/domain';
import { fixture, sourceOf, sourceOfFile } from '@postshelf/testing/fixtures';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { testsThatNeed } from '@postshelf/testing/programs';
import { until } from '@postshelf/testing/waiting';
import { writePixels } from '../../src/decoder/canvas.ts';
import { createMediaFitter, createMediaInspector } from '../../src/index.ts';
import { DECODER } from '../support/decoder.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { isRunning, Playground } from '../support/scripts.ts';

const { describe, test } = testsThatNeed(['ffmpeg'], 'files that are made to fit');

type FixtureName = Parameters<typeof fixture>[0];

const decoder = { command: DECODER };
const fitter = createMediaFitter({ ffmpegPath: ffmpeg, decoder });
const inspector = createMediaInspector();

const targetOf = (name: string): Target => findTarget(name) ?? expect.unreachable();

async function inspect(bytes: Uint8Array) {
  const facts = await inspector.inspect(sourceOf(bytes));
  if (!isSound(facts)) throw new Error('What was made cannot be read.');
  return { ...facts, size: bytes.length };
}

const made = new Map<string, ReturnType<typeof make>>();

/** Fits a fixture with the first attempt of its plan, and returns the result. The result is cached. */
function fit(...order: [name: FixtureName, target: string, how: 'pad' | 'crop']): ReturnType<typeof make> {
  const key = order.join(' ');
  const known = made.get(key) ?? make(...order);
  made.set(key, known);
  return known;
}

async function make(name: FixtureName, target: string, how: 'pad' | 'crop', by = fitter) {
  const { path } = await fixture(name);
  const plan = planFit(targetOf(target), await inspect(await Bun.file(path).bytes()), how);
  if ('reason' in plan) throw new Error(plan.reason);
  const [attempt] = plan.attempts;
  const progress: number[] = [];
  const order = {
    ...plan,
    attempt,
    signal: new AbortController().signal,
    onProgress: (ms: number) => progress.push(ms),
  };
  await using file = await fileOf(await by.make(await sourceOfFile(path), order));
  const bytes = Buffer.concat(await Array.fromAsync(file.body()));
  return { plan, attempt, bytes, facts: await inspect(bytes), progress };
}

async function fileOf<T extends object>(made: T | string): Promise<T> {
  if (typeof made === 'string') throw new Error(`Nothing was made: ${made}`);
  return made;
}

/** Returns red, green, blue and opacity of single pixels. Their places are given as fractions of width and height. */
async function coloursOf(bytes: Uint8Array, ...places: readonly (readonly [x: number, y: number])[]) {
  const { width, height } = await inspect(bytes);
  const output = ['-frames:v', '1', '-pix_fmt', 'rgba', '-f', 'rawvideo', '-'];
  const child = Bun.spawn([ffmpeg, '-v', 'error', '-i', 'pipe:0', ...output], { stdin: bytes });
  const pixels = await new Response(child.stdout).bytes();
  return places.map(([x, y]) => {
    const start = 4 * (Math.floor(y * height) * width + Math.floor(x * width));
    return [...pixels.subarray(start, start + 4)];
  });
}

/** Fits a PNG onto a canvas with bars, and returns the bytes of the result. */
async function padPng(source: ByteSource, attempt: FitAttempt): Promise<Uint8Array> {
  const limits = { maxBytes: 1_000_000, maxTimeMs: 60_000, signal: new AbortController().signal };
  await using made = await fileOf(await fitter.make(source, { how: 'pad', from: 'image/png', ...limits, attempt }));
  return Buffer.concat(await Array.fromAsync(made.body()));
}

const STRIPES = [
  [255, 0, 0, 255],
  [0, 128, 0, 255],
  [0, 0, 255, 255],
];

/** Returns a picture with vertical stripes of red, green and blue. */
function stripedPicture(width: number, height: number): Uint8Array {
  const rows = Uint8Array.from(
    Array.from({ length: width * height }, (_, at) => STRIPES[Math.floor(((at % width) / width) * 3)] ?? []).flat(),
  );
  return writePixels({ width, height, rows, profile: null });
}

/**
 * Makes a video of one second with vertical stripes of red, green and blue. The video is stored rotated by 90°, and
 * players rotate it back.
 */
async function stripedVideo(width: number, height: number): Promise<Uint8Array> {
  const path = join(tmpdir(), `striped-${process.pid}.mp4`);
  const stripes = ['red', 'green', 'blue'].flatMap((colour) => [
    ...['-f', 'lavfi', '-i', `color=${colour}:s=${width / 3}x${height}:d=1`],
  ]);
  const upright = ['-filter_complex', 'hstack=inputs=3,transpose=cclock', '-pix_fmt', 'yuv420p', `${path}.turned.mp4`];
  const turned = ['-i', `${path}.turned.mp4`, '-c', 'copy', '-metadata:s:v', 'rotate=270', path];
  try {
    for (const words of [[...stripes, ...upright], turned]) {
      const child = Bun.spawn([ffmpeg, '-v', 'error', '-y', ...words], { stderr: 'inherit' });
      expect(await child.exited).toBe(0);
    }
    return await Bun.file(path).bytes();
  } finally {
    await Promise.all([path, `${path}.turned.mp4`].map((one) => rm(one, { force: true })));
  }
}

/** `lightest` returns the largest of red, green and blue; `darkest` returns the smallest. */
const lightest = (colour: readonly number[] = []): number => Math.max(...colour.slice(0, 3));
const darkest = (colour: readonly number[] = []): number => Math.min(...colour.slice(0, 3));

describe('a fitted file', () => {
  test.each<[FixtureName, string, 'pad' | 'crop', object]>([
    ['jpeg-turned', 'instagram.feed', 'crop', { type: 'image/jpeg', width: 320, height: 400 }],
    ['png', 'x.post', 'pad', { type: 'image/png', width: 160, height: 96 }],
    ['webp', 'tiktok.post', 'pad', { type: 'image/webp', width: 160, height: 96 }],
    ['gif-animated', 'youtube.short', 'crop', { type: 'video/mp4', width: 96, height: 96 }],
    ['mov', 'youtube.short', 'pad', { type: 'video/mp4', width: 160, height: 160, time: 3 }],
    ['mp4-wide-pixels', 'x.post', 'pad', { type: 'video/mp4', width: 240, height: 96 }],
    ['mp4-turned', 'youtube.short', 'pad', { type: 'video/mp4', width: 96, height: 160 }],
  ])('made from %s for %s by %s meets the limits', async (name, target, how, expected) => {
    const { facts, attempt, bytes, progress } = await fit(name, target, how);
    expect(facts).toMatchObject(expected);
    expect(judgeFitted(targetOf(target), facts)).toEqual({ kind: 'fits' });
    // The result contains neither the name of the tool nor anything from the original's metadata.
    if (attempt.type !== 'video/mp4') expect(bytes.includes('Lav')).toBe(false);
    if (attempt.type !== 'video/mp4') return;
    expect(facts.details?.video).toMatchObject({ codec: 'avc', chroma: '4:2:0', moovFirst: true, editList: false });
    expect(Math.max(...progress)).toBeGreaterThan(0);
  });

  test('is upright, with white bars next to an image and black ones next to a video', async () => {
    // The left side of the original is black. After the picture is turned upright, this is the upper side.
    for (const name of ['jpeg-turned', 'png-turned'] as const) {
      const { bytes } = await fit(name, 'instagram.feed', 'pad');
      const [top, middle, bar] = await coloursOf(bytes, [0.5, 0.02], [0.5, 0.4], [0.02, 0.5]);
      expect(lightest(top)).toBeLessThan(30);
      expect(lightest(middle)).toBeGreaterThan(200);
      expect(darkest(bar)).toBeGreaterThan(240);
    }
    const fitted = await fit('mov', 'youtube.short', 'pad');
    expect(lightest((await coloursOf(fitted.bytes, [0.5, 0.02]))[0])).toBeLessThan(20);
  });

  test('made from a region of an image or a video shows only that region', async () => {
    // The picture has vertical stripes of red, green and blue. The crop has 30 % of the width and the full height, and
    // contains only the green stripe.
    const crop = { x: 0.35, y: 0, width: 0.3, height: 1 };
    const limits = { maxBytes: 1_000_000, maxTimeMs: 60_000, signal: new AbortController().signal };
    const [width, height] = [120, 40];
    const picture = sourceOf(stripedPicture(width, height));
    const bytes = await stripedVideo(width, height);
    expect(await inspect(bytes)).toMatchObject({ width, height, details: { video: { rotation: 90 } } });
    const original = sourceOf(bytes);
    const video = { ...(await fit('mov', 'youtube.short', 'pad')).attempt, width: 36, height: 40 };
    for (const [source, from, attempt] of [
      [picture, 'image/png', { type: 'image/png', width: 36, height: 40, quality: 90 }],
      [original, 'video/mp4', video],
    ] as const) {
      const order = { ...limits, how: 'pad', from, attempt, crop } as const;
      await using made = await fileOf(await fitter.make(source, order));
      const bytes = Buffer.concat(await Array.fromAsync(made.body()));
      for (const [red = 0, green = 0, blue = 0] of await coloursOf(bytes, [0.1, 0.1], [0.5, 0.5], [0.9, 0.9]))
        expect([from, red < 40, green > 80, blue < 40]).toEqual([from, true, true, true]);
    }
  });

  test('that is cropped is centred on its focal point as far as the edges allow', async () => {
    const limits = { maxBytes: 1_000_000, maxTimeMs: 60_000, signal: new AbortController().signal };
    const original = sourceOf(await stripedVideo(120, 40));
    const video = { ...(await fit('mov', 'youtube.short', 'pad')).attempt, width: 36, height: 40 };
    const still = { type: 'image/png', width: 36, height: 40, quality: 90 } as const;
    for (const [source, from, attempt] of [
      [sourceOf(stripedPicture(120, 40)), 'image/png', still],
      [original, 'video/mp4', video],
    ] as const) {
      const shown: string[] = [];
      for (const focus of [{ x: 0.1, y: 0 }, undefined, { x: 0.83, y: 1 }, { x: 1, y: 0.5 }]) {
        const order = { ...limits, how: 'crop', from, attempt, focus } as const;
        await using made = await fileOf(await fitter.make(source, order));
        const bytes = Buffer.concat(await Array.fromAsync(made.body()));
        for (const colour of await coloursOf(bytes, [0.1, 0.1], [0.9, 0.9])) {
          const [red = 0, green = 0, blue = 0] = colour;
          shown.push(red > 120 ? 'red' : blue > 120 ? 'blue' : green > 80 ? 'green' : `${colour}`);
        }
      }
      const expected = ['red', 'green', 'blue', 'blue'].flatMap((colour) => [colour, colour]);
      expect([from, shown]).toEqual([from, expected]);
    }
  });

  test('is made without leaving files in the temporary folder', async () => {
    const before = process.env.TMPDIR;
    const folder = await mkdtemp(join(tmpdir(), 'temporary-files-'));
    process.env.TMPDIR = folder;
    try {
      await fit('mov', 'youtube.short', 'pad');
      expect(await readdir(folder)).toEqual([]);
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
      await rm(folder, { recursive: true });
    }
  });

  test('reaches the requested minimum bit rate', async () => {
    const { path } = await fixture('mp4-turned');
    const [attempt] = (await fit('mp4-turned', 'youtube.short', 'pad')).plan.attempts;
    if (attempt.type !== 'video/mp4') expect.unreachable();
    const order = {
      how: 'pad',
      from: 'video/mp4',
      maxBytes: 10_000_000,
      maxTimeMs: 60_000,
      signal: new AbortController().signal,
    } as const;
    const filled = { ...attempt, minBitrate: 400_000 };
    await using made = await fileOf(await fitter.make(await sourceOfFile(path), { ...order, attempt: filled }));
    expect(made.size).toBeGreaterThan((400_000 / 8) * 1.6);
    expect(made.size).toBeLessThan((400_000 / 8) * 4);
  });

  test('keeps transparency if its type supports it, and has a white background otherwise', async () => {
    const { path } = await fixture('png');
    const makeAs = async (type: 'image/png' | 'image/webp' | 'image/jpeg') => {
      const bytes = await padPng(await sourceOfFile(path), { type, width: 160, height: 160, quality: 90 });
      return (await coloursOf(bytes, [0.5, 0.02], [0.5, 0.5])).map(([red, , , opacity]) => [red, opacity]);
    };
    expect((await makeAs('image/png')).map(([, opacity]) => opacity)).toEqual([0, 255]);
    expect((await makeAs('image/webp')).map(([, opacity]) => opacity)).toEqual([0, 255]);
    expect((await makeAs('image/jpeg'))[0]).toEqual([255, 255]);
  });

  test('never shows colours that are hidden under transparent pixels', async () => {
    const [width, height, green, hiddenRed] = [200, 200, [0, 200, 0, 255], [255, 0, 0, 0]];
    const rows = Uint8Array.from(
      Array.from({ length: width * height }, (_, at) => ((at % width) % 2 === 0 ? green : hiddenRed)).flat(),
    );
    const png = writePixels({ width, height, rows, profile: null });
    const fitted = await padPng(sourceOf(png), { type: 'image/png', width: 100, height: 100, quality: 90 });
    const [colour = []] = await coloursOf(fitted, [0.5, 0.5]);
    const [red = 0, shownGreen = 0, , opacity = 0] = colour;
    expect(red).toBeLessThan(8);
    expect(Math.abs(shownGreen - 200)).toBeLessThan(8);
    expect(Math.abs(opacity - 128)).toBeLessThan(16);
  });
});

describe('fitting a file', () => {
  const PICTURE: FitAttempt = { type: 'image/jpeg', width: 100, height: 60, quality: 90 };
  const order = (parts: Partial<FitOrder> = {}): FitOrder => ({
    ...{
      how: 'pad',
      from: 'image/jpeg',
      maxBytes: 1_000_000,
      maxTimeMs: 60_000,
      attempt: PICTURE,
      signal: new AbortController().signal,
    },
    ...parts,
  });
  const jpeg = async () => sourceOfFile((await fixture('jpeg')).path);

  test('fails for a file of another type, a result that is too large, an abort or a missing ffmpeg', async () => {
    expect(await fitter.make(await jpeg(), order({ from: 'image/png' }))).toBe('unreadable');
    expect(await fitter.make(await sourceOfFile((await fixture('mp4')).path), order())).toBe('unreadable');
    const largest = { ...PICTURE, width: 2000, height: 1500, type: 'image/png' } as const;
    expect(await fitter.make(await jpeg(), order({ attempt: largest, maxBytes: 5_000 }))).toBe('too_large');
    expect(await fitter.make(await jpeg(), order({ signal: AbortSignal.abort() }))).toBe('aborted');
    const none = createMediaFitter({ ffmpegPath: null, decoder });
    expect([await none.isAvailable(), await none.make(await jpeg(), order())]).toEqual([false, 'unreadable']);
    const gone = createMediaFitter({ ffmpegPath: '/nowhere/ffmpeg', decoder });
    expect(await outcomeOf(gone.make(await jpeg(), order()))).toThrow('ffmpeg cannot be started.');
  });

  test('kills the tool and fails if the tool takes too long or the caller aborts', async () => {
    await using playground = await Playground.open();
    const hangs = await playground.script('/bin/mkdir "$MARKS/$$"', 'exec /bin/sleep 1000');
    const stopping = new AbortController();
    const making = createMediaFitter({ ffmpegPath: hangs, decoder }).make(
      await jpeg(),
      order({ signal: stopping.signal }),
    );
    await until('it runs', async () => (await playground.marks()).length > 0);
    stopping.abort();
    expect(await making).toBe('aborted');
    expect(await createMediaFitter({ ffmpegPath: hangs, decoder }).make(await jpeg(), order({ maxTimeMs: 500 }))).toBe(
      'too_long',
    );
    for (const pid of await playground.marks())
      await until('it has ended', async () => !(await isRunning(Number(pid))));
  });
});
