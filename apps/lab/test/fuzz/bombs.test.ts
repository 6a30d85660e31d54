import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { gif, jpeg, png, pngOfText, webp } from '../../src/fuzz/bombs/images.ts';
import {
  believed,
  honest,
  ofBoxes,
  ofDepth,
  ofDimensions,
  ofDuration,
  ofSamples,
} from '../../src/fuzz/bombs/movies.ts';
import { checkUp, leftovers } from '../../src/fuzz/service/check-up.ts';
import { ChildWatch } from '../../src/fuzz/service/children.ts';
import { World } from '../../src/fuzz/service/world.ts';

/** Making a bomb takes as long as it takes; what the service may take is looked at by itself. */
const TIMEOUT_MS = 300_000;
/** A cover may take 15 seconds; on a busy machine all else takes its time, too. */
const MAX_MS = 60_000;
/** Bytes: what ffmpeg may have is 1 GiB of address space. */
const MAX_CHILD = 1024 ** 3;

let world: World;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());

/** What the answer must be: dimensions and seconds of what is taken, as the file says; null for a refusal. */
type Facts = { readonly width: number; readonly height: number; readonly time: number | null } | null;

const sized = (width: number, height = width, time: number | null = null): Facts => ({ width, height, time });

const bombs: readonly [string, () => Uint8Array | Promise<Uint8Array>, Facts][] = [
  ['a PNG of 60000 × 60000 in a kilobyte', () => png(60_000, 60_000), sized(60_000)],
  ['a PNG of 2147483647 × 2147483647', () => png(2_147_483_647, 2_147_483_647), null],
  ['a PNG with 256 MB of compressed text and profiles', pngOfText, sized(100)],
  ['a GIF with a logical screen of 65535 × 65535', () => gif(65_535, 65_535), sized(65_535)],
  ['a JPEG of 65535 × 65535', () => jpeg(65_535, 65_535), sized(65_535)],
  ['a WebP of 16384 × 16384', () => webp(16_384, 16_384), sized(16_384)],
  ['a WebP of 16777216 × 16777216', () => webp(16_777_216, 16_777_216), null],
  ['a video of 65535 × 65535', () => ofDimensions(65_535, 65_535), sized(65_535, 65_535, 1)],
  ['a video of 0 × 0', () => ofDimensions(0, 0), null],
  ['a video of 68 years', () => ofDuration(2_147_483_647, 1), sized(160, 96, 2_147_483_647)],
  ['a video of 136 years', () => ofDuration(0xfffffffe, 1), null],
  ['a video of a quarter of a nanosecond', () => ofDuration(1, 0xffffffff), sized(160, 96, 1)],
  ['a video of four billion samples', () => ofSamples(0xffffffff), sized(160, 96, 1)],
  ['a video of ten million samples', () => ofSamples(10_000_000), sized(160, 96, 1)],
  ['a movie of a million empty boxes', () => ofBoxes(1_000_000), null],
  ['a movie of boxes a hundred thousand deep', () => ofDepth(100_000), null],
  ['QuickTime animation that claims 30000 × 30000', () => believed('qtrle', 30_000, 30_000), sized(30_000, 30_000, 2)],
  ['QuickTime animation that claims 12000 × 12000', () => believed('qtrle', 12_000, 12_000), sized(12_000, 12_000, 2)],
  ['PNGs in QuickTime that claim 30000 × 30000', () => believed('png', 30_000, 30_000), sized(30_000, 30_000, 2)],
  ['JPEGs in QuickTime that claim 30000 × 30000', () => believed('mjpeg', 30_000, 30_000), sized(30_000, 30_000, 2)],
  ['a video that truly is 8000 × 8000', () => honest(8000, 8000), sized(8000, 8000, 2)],
];

interface Answer {
  readonly data?: readonly { readonly width: number; readonly height: number; readonly time: number | null }[];
}

async function upload(bomb: Uint8Array): Promise<{ readonly status: number; readonly answer: Answer }> {
  const body = new FormData();
  body.append('files[]', new Blob([Buffer.from(bomb)]), 'bomb');
  const { host, workspace, token } = world.ids;
  const init = { method: 'POST', headers: { Authorization: `Bearer ${token}` }, body, keepalive: false };
  const response = await fetch(`http://${host}/v1/workspaces/${workspace}/media_contents`, init);
  return { status: response.status, answer: (await response.json()) as Answer };
}

describe('a file that is more than it looks costs little, and is what it says', () => {
  for (const [name, make, facts] of bombs) {
    test(
      name,
      async () => {
        const bomb = await make();
        await using children = new ChildWatch(world.program.pid);
        const start = performance.now();
        const { status, answer } = await upload(bomb);
        expect(performance.now() - start).toBeLessThan(MAX_MS);
        expect({ status, answer }).toMatchObject(
          facts === null ? { status: 422 } : { status: 201, answer: { data: [facts] } },
        );
        expect(children.peak).toBeLessThan(MAX_CHILD);
        expect(await children.running()).toEqual([]);
        expect(await checkUp(world)).toEqual([]);
      },
      TIMEOUT_MS,
    );
  }

  test('leaves nothing behind', async () => expect(await leftovers(world)).toEqual([]), TIMEOUT_MS);
});
