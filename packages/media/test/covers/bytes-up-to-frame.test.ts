import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { sourceOf, sourceOfFile } from '@postshelf/testing/fixtures';
import { bytesUpToFrame } from '../../src/covers/bytes-up-to-frame.ts';
import { createCoverMaker } from '../../src/index.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { Playground } from '../support/scripts.ts';

/** Five seconds of noise with sound, some 8 MB, that begin late and have frames out of display order. */
const FILM = [
  ...['-itsoffset', '0.1', '-f', 'lavfi', '-i', 'testsrc2=s=384x216:r=30:d=5', '-f', 'lavfi', '-i', 'sine=d=5'],
  ...['-vf', 'noise=alls=60:allf=t'],
];
const CODED = ['-c:v', 'mpeg4', '-q:v', '2', '-bf', '2', '-g', '25'];
const FASTSTART = ['-movflags', '+faststart'];

/** The first bytes of a video, as received so far. */
const beginningOf = (film: Uint8Array, length: number) => sourceOf(film.subarray(0, length));

async function makeFilm(playground: Playground, ...options: readonly string[]): Promise<Uint8Array> {
  const path = join(playground.path, `${Bun.randomUUIDv7()}.mp4`);
  const made = Bun.spawnSync([ffmpeg, '-nostdin', '-v', 'error', ...options, path]);
  if (!made.success) throw new Error(made.stderr.toString());
  return Bun.file(path).bytes();
}

describe('a video whose movie box comes first', () => {
  test('has the same cover from the sufficient bytes, which the first megabytes tell, as from the whole', async () => {
    await using playground = await Playground.open();
    const film = await makeFilm(playground, ...FILM, ...CODED, ...FASTSTART);
    const enough = await bytesUpToFrame(beginningOf(film, 4_000_000), 1);
    expect(enough).toBeLessThan(film.length * 0.75);
    const [cut, whole] = [join(playground.path, 'cut.mp4'), join(playground.path, 'whole.mp4')];
    await Bun.write(cut, film.subarray(0, enough ?? 0));
    await Bun.write(whole, film);
    const maker = createCoverMaker({ ffmpegPath: ffmpeg });
    const early = await maker.make(await sourceOfFile(cut));
    expect(early).not.toBeNull();
    expect(early).toEqual(await maker.make(await sourceOfFile(whole)));
  }, 30_000);
});

test('sufficient bytes are unknown for other videos, and for short or broken ones', async () => {
  await using playground = await Playground.open();
  const short = ['-f', 'lavfi', '-i', 'color=d=2:r=30:s=64x64', ...CODED];
  const long = ['-f', 'lavfi', '-i', 'color=d=6:r=30:s=64x64', ...CODED];
  const two = ['-f', 'lavfi', '-i', 'color=d=6:r=30:s=64x64', '-map', '0', '-map', '0', ...CODED];
  const first = await makeFilm(playground, ...long, ...FASTSTART);
  const films: Readonly<Record<string, Uint8Array>> = {
    'box at the end': await makeFilm(playground, ...long),
    fragments: await makeFilm(playground, ...long, '-movflags', '+frag_keyframe+empty_moov'),
    'too short': await makeFilm(playground, ...short, ...FASTSTART),
    'two videos in one': await makeFilm(playground, ...two, ...FASTSTART),
    'a box that is cut': first.subarray(0, 500),
    'no box': new Uint8Array(5000),
    nothing: new Uint8Array(),
  };
  for (const [name, film] of Object.entries(films)) {
    expect([name, await bytesUpToFrame(sourceOf(film), 1)]).toEqual([name, null]);
  }
  // This file is smaller than what ffmpeg reads to identify the tracks.
  expect(await bytesUpToFrame(sourceOf(first), 1)).toBe(5_000_000);
});
