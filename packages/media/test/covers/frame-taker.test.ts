import { afterAll, beforeAll, expect } from 'bun:test';
import { join } from 'node:path';
import type { ByteSource } from '@postshelf/domain';
import { sourceOfFile } from '@postshelf/testing/fixtures';
import { testsThatNeed } from '@postshelf/testing/programs';
import { createCoverMaker } from '../../src/index.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { Playground } from '../support/scripts.ts';

const { describe, test } = testsThatNeed(['ffmpeg'], 'chosen frames');

const SECONDS = 12;

/** Returns the grey that the video shows at this second, in the full range of a JPEG. */
const greyOf = (second: number): number => ((4 + 18 * Math.floor(second)) * 255) / 219;

const signal = new AbortController().signal;

describe('a chosen frame', () => {
  let playground: Playground;
  let source: ByteSource;
  const taker = createCoverMaker({ ffmpegPath: ffmpeg });

  beforeAll(async () => {
    playground = await Playground.open();
    const greys = join(playground.path, 'greys.mp4');
    const black = `color=black:size=64x48:rate=25:duration=${SECONDS}`;
    // The only key frame is the first one, 300 frames before the end.
    const coded = ['-c:v', 'libx264', '-g', '600', '-keyint_min', '600', '-sc_threshold', '0'];
    await run(['-f', 'lavfi', '-i', black, '-vf', "geq=lum='20+18*floor(T)':cb=128:cr=128", ...coded, greys]);
    source = await sourceOfFile(greys);
  });
  afterAll(() => playground[Symbol.asyncDispose]());

  const run = async (options: readonly string[]): Promise<Uint8Array> => {
    const child = Bun.spawn([ffmpeg, '-nostdin', '-v', 'error', ...options], { stdout: 'pipe', stderr: 'pipe' });
    const bytes = await new Response(child.stdout).bytes();
    if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
    return bytes;
  };

  /** Returns the mean of all pixels of the frame at this second. */
  async function greyAt(second: number): Promise<number> {
    const frame = await taker.take(source, second, signal);
    if (frame === null || frame === 'no_tool') throw new Error(`There is no frame at ${second}.`);
    const jpeg = join(playground.path, 'frame.jpg');
    await Bun.write(jpeg, frame.bytes);
    const [grey = -1] = await run([
      '-i',
      jpeg,
      '-vf',
      'scale=1:1,format=yuv420p',
      '-f',
      'rawvideo',
      '-pix_fmt',
      'gray',
      '-',
    ]);
    return grey;
  }

  test.each([0, 0.5, 1, 4.98, 5, 9.25, 11.9])(
    'is the frame shown at %p s, however far away its key frame is',
    async (second) => {
      expect(Math.abs((await greyAt(second)) - greyOf(second))).toBeLessThan(8);
    },
  );

  test.each([SECONDS - 0.01, SECONDS, SECONDS + 0.2])('is the last frame at the end: %p s', async (second) => {
    expect(Math.abs((await greyAt(second)) - greyOf(SECONDS - 1))).toBeLessThan(8);
  });

  test('is the same image each time it is taken', async () => {
    const [one, other] = await Promise.all([taker.take(source, 3.3, signal), taker.take(source, 3.3, signal)]);
    expect(one).toEqual(other);
    expect(one).toMatchObject({ width: 64, height: 48 });
  });

  test('is made only from a video, with ffmpeg, and for a caller that has not aborted', async () => {
    const text = { size: 4, read: async () => new TextEncoder().encode('text') };
    expect(await taker.take(text, 0, signal)).toBeNull();
    expect(await taker.take(source, 0, AbortSignal.abort())).toBeNull();
    expect(await createCoverMaker({ ffmpegPath: null }).take(source, 0, signal)).toBe('no_tool');
  });
});
