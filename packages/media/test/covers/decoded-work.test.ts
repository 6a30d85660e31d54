import { expect } from 'bun:test';
import { join } from 'node:path';
import { sourceOfFile } from '@postshelf/testing/fixtures';
import { testsThatNeed } from '@postshelf/testing/programs';
import { createCoverMaker } from '../../src/index.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { Playground } from '../support/scripts.ts';

const { test } = testsThatNeed(['ffmpeg'], 'how much of a video is decoded for its cover');

const maker = createCoverMaker({ ffmpegPath: ffmpeg });

/** Makes a video with one key frame and this many frames of each colour, at 250 frames per second. */
async function video(playground: Playground, size: string, ...colours: readonly [string, number][]): Promise<string> {
  const path = join(playground.path, `${Bun.randomUUIDv7()}.mp4`);
  const inputs = colours.flatMap(([colour, frames]) => [
    ...['-f', 'lavfi', '-i', `color=${colour}:size=${size}:rate=250:duration=${frames / 250}`],
  ]);
  const joined = ['-filter_complex', `concat=n=${colours.length}`, '-g', '1000', '-sc_threshold', '0'];
  const coded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', path];
  const child = Bun.spawn([ffmpeg, '-v', 'error', '-nostdin', ...inputs, ...joined, ...coded]);
  expect(await child.exited).toBe(0);
  return path;
}

const coverOf = async (path: string) => maker.make(await sourceOfFile(path));

test('at most 64 frames are decoded for a cover, which shows the last decoded one', async () => {
  await using playground = await Playground.open();
  const white = await coverOf(await video(playground, '64x64', ['white', 64]));
  const black = await coverOf(await video(playground, '64x64', ['black', 64]));
  // Frame 250 is the first of the wanted second.
  const turns = await coverOf(await video(playground, '64x64', ['white', 64], ['black', 436]));
  const turnsEarlier = await coverOf(await video(playground, '64x64', ['white', 60], ['black', 440]));
  expect(white).not.toBeNull();
  expect(turns).toEqual(white);
  expect(turnsEarlier).toEqual(black);
});

test('frames above 36 megapixels are not decoded', async () => {
  await using playground = await Playground.open();
  expect(await coverOf(await video(playground, '8192x4320', ['white', 1]))).toMatchObject({ width: 1280, height: 675 });
  expect(await coverOf(await video(playground, '8192x4400', ['white', 1]))).toBeNull();
});
