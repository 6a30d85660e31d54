import { gif, jpeg, png, pngOfText, webp } from '../../../src/fuzz/bombs/images.ts';
import {
  believed,
  honest,
  ofBoxes,
  ofDepth,
  ofDimensions,
  ofDuration,
  ofSamples,
} from '../../../src/fuzz/bombs/movies.ts';
import type { World } from '../../../src/fuzz/service/world.ts';

/** The expected answer: the dimensions and seconds that an accepted file declares; null for a refusal. */
type Facts = { readonly width: number; readonly height: number; readonly time: number | null } | null;

const factsOf = (width: number, height = width, time: number | null = null): Facts => ({ width, height, time });

/** The description of a file, a function that generates it, and the expected answer. */
type Bomb = readonly [string, () => Uint8Array | Promise<Uint8Array>, Facts];

/** Files that claim far more memory or time than their size suggests. */
export const BOMBS: readonly Bomb[] = [
  ['a PNG of 60000 × 60000 in a kilobyte', () => png(60_000, 60_000), factsOf(60_000)],
  ['a PNG of 2147483647 × 2147483647', () => png(2_147_483_647, 2_147_483_647), null],
  ['a PNG with 256 MB of compressed text and profiles', pngOfText, factsOf(100)],
  ['a GIF with a logical screen of 65535 × 65535', () => gif(65_535, 65_535), factsOf(65_535)],
  ['a JPEG of 65500 × 65500', () => jpeg(65_500, 65_500), factsOf(65_500)],
  ['a WebP of 16384 × 16384', () => webp(16_384, 16_384), factsOf(16_384)],
  ['a WebP of 16777216 × 16777216', () => webp(16_777_216, 16_777_216), null],
  ['a video of 65535 × 65535', () => ofDimensions(65_535, 65_535), factsOf(65_535, 65_535, 1)],
  ['a video of 0 × 0', () => ofDimensions(0, 0), null],
  ['a video whose header claims 68 years', () => ofDuration(2_147_483_647, 1), factsOf(160, 96, 1)],
  ['a video whose header claims 136 years', () => ofDuration(0xfffffffe, 1), factsOf(160, 96, 1)],
  ['a video whose header claims a quarter of a nanosecond', () => ofDuration(1, 0xffffffff), factsOf(160, 96, 1)],
  ['a video of four billion samples', () => ofSamples(0xffffffff), null],
  ['a video of ten million samples', () => ofSamples(10_000_000), null],
  ['a video of a million empty boxes', () => ofBoxes(1_000_000), null],
  ['a video with boxes nested a hundred thousand deep', () => ofDepth(100_000), null],
];

/** Bombs that ffmpeg encodes. */
export const ENCODED_BOMBS: readonly Bomb[] = [
  [
    'a QuickTime animation that claims 30000 × 30000',
    () => believed('qtrle', 30_000, 30_000),
    factsOf(30_000, 30_000, 2),
  ],
  [
    'a QuickTime animation that claims 12000 × 12000',
    () => believed('qtrle', 12_000, 12_000),
    factsOf(12_000, 12_000, 2),
  ],
];

/** Bombs that keep ffmpeg busy for many seconds, or until its timeout. */
export const SLOW_BOMBS: readonly Bomb[] = [
  ['a video that truly is 8000 × 8000', () => honest(8000, 8000), factsOf(8000, 8000, 2)],
  [
    'a QuickTime video of PNGs that claims 30000 × 30000',
    () => believed('png', 30_000, 30_000),
    factsOf(30_000, 30_000, 2),
  ],
  [
    'a QuickTime video of JPEGs that claims 30000 × 30000',
    () => believed('mjpeg', 30_000, 30_000),
    factsOf(30_000, 30_000, 2),
  ],
];

/** Sends the file as multipart form data. */
export async function uploadBomb({ ids }: World, bomb: Uint8Array): Promise<{ status: number; answer: unknown }> {
  const body = new FormData();
  body.append('files[]', new Blob([Buffer.from(bomb)]), 'bomb');
  const init = { method: 'POST', headers: { Authorization: `Bearer ${ids.token}` }, body, keepalive: false };
  const response = await fetch(`http://${ids.host}/v1/workspaces/${ids.workspace}/media_contents`, init);
  return { status: response.status, answer: await response.json() };
}
