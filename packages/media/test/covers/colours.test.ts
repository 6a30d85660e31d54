import { expect } from 'bun:test';
import { join } from 'node:path';
import type { ByteSource, FitOrder, PreviewSize } from '@postshelf/domain';
import { sized } from '@postshelf/harness';
import { sourceOf, sourceOfFile } from '@postshelf/testing/fixtures';
import { testsThatNeed } from '@postshelf/testing/programs';
import { coloursIn } from '../../src/covers/colours.ts';
import { findShownVideo } from '../../src/covers/shown-video.ts';
import { readPixels } from '../../src/decoder/canvas.ts';
import { createCoverMaker, createMediaFitter } from '../../src/index.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { Playground } from '../support/scripts.ts';

const { describe, test } = testsThatNeed(['ffmpeg'], 'the colours of videos');

const COLOUR = [40, 170, 70] as const;

interface Video {
  readonly width?: number;
  readonly height?: number;
  /** The colour space, by the name that ffmpeg's encoders use. */
  readonly space?: 'bt709' | 'smpte170m' | 'bt2020nc';
  readonly range?: 'tv' | 'pc';
  readonly isTagged?: boolean;
  readonly pixels?: string;
  readonly codec?: 'libx264' | 'libx264rgb' | 'libx265';
  readonly transfer?: string;
  readonly colour?: readonly number[];
}

const SCALE = { bt709: 'bt709', smpte170m: 'bt601', bt2020nc: 'bt2020' } as const;

async function run(args: readonly string[]): Promise<Uint8Array> {
  const child = Bun.spawn([ffmpeg, '-nostdin', '-v', 'error', ...args], { stdout: 'pipe', stderr: 'pipe' });
  const [bytes, complaint] = await Promise.all([new Response(child.stdout).bytes(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(complaint);
  return bytes;
}

/** Makes half a second of one colour, encoded as the options say. */
async function video(path: string, options: Video): Promise<void> {
  const { width = 160, height = 96, space = 'smpte170m', range = 'tv', isTagged = true } = options;
  const { pixels = 'yuv420p', codec = 'libx264', transfer = space === 'bt709' ? 'bt709' : 'smpte170m' } = options;
  const [red = 0, green = 0, blue = 0] = options.colour ?? COLOUR;
  const plain = Buffer.alloc(3 * width * height, Buffer.of(red, green, blue));
  const raw = `${path}.rgb`;
  await Bun.write(raw, plain);
  const isRgb = codec === 'libx264rgb';
  const converted = `scale=out_color_matrix=${SCALE[space]}:out_range=${range}:flags=accurate_rnd+full_chroma_int`;
  const tags = ['-colorspace', space, '-color_primaries', 'bt709', '-color_trc', transfer, '-color_range', range];
  const untagged = 'setparams=color_primaries=unknown:color_trc=unknown:colorspace=unknown';
  await run([
    ...['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${width}x${height}`, '-stream_loop', '3', '-r', '8', '-i', raw],
    ...(isRgb ? [] : ['-vf', `${converted},format=${pixels}${isTagged ? '' : `,${untagged}`}`, '-pix_fmt', pixels]),
    ...['-c:v', codec, '-preset', 'ultrafast', '-threads', '1', '-crf', '4'],
    ...(codec === 'libx265' ? ['-x265-params', 'log-level=none:pools=none', '-tag:v', 'hvc1'] : []),
    ...(isTagged && !isRgb ? tags : []),
    ...['-y', path],
  ]);
}

async function videoSource(playground: Playground, options: Video): Promise<ByteSource> {
  const path = join(playground.path, 'film.mp4');
  await video(path, options);
  return sourceOfFile(path);
}

/**
 * Returns the red, green and blue that ffmpeg shows in the middle of a video. ffmpeg's own conversion to RGB reads the
 * tags.
 */
async function middleOf(path: string, { width, height }: PreviewSize): Promise<readonly number[]> {
  const pixels = await run(['-i', path, '-frames:v', '1', '-pix_fmt', 'rgb24', '-f', 'rawvideo', '-']);
  const at = 3 * ((height >> 1) * width + (width >> 1));
  return [...pixels.subarray(at, at + 3)];
}

async function middleOfImage(bytes: Uint8Array): Promise<readonly number[]> {
  const { width, height, rows } = readPixels(await new Bun.Image(bytes).png().bytes());
  const at = 4 * ((height >> 1) * width + (width >> 1));
  return [...rows.subarray(at, at + 3)];
}

const NEAR = 4;

function expectNear(found: readonly number[], wanted: readonly number[]): void {
  const distances = found.map((value, index) => Math.abs(value - (wanted[index] ?? 0)));
  if (found.length !== 3 || Math.max(...distances) > NEAR) throw new Error(`It is ${found} instead of ${wanted}.`);
}

const HD = { width: 1280, height: 720 };
type Row = readonly [string, Video];
const VIDEOS: readonly Row[] = [
  ['BT.601 in SD', {}],
  ['BT.601 in SD, untagged', { isTagged: false }],
  ['BT.709 in SD', { space: 'bt709' }],
  ['BT.2020 in SD', { space: 'bt2020nc' }],
  ['BT.709 in HD, untagged', { ...HD, space: 'bt709', isTagged: false }],
  ['BT.601 with the full range', { range: 'pc' }],
  ['BT.709 with the full range', { ...HD, space: 'bt709', range: 'pc' }],
  ['BT.709 of 10 bits', { space: 'bt709', pixels: 'yuv420p10le' }],
  ['RGB', { codec: 'libx264rgb' }],
  ['an odd size', { width: 161, height: 97, space: 'bt709', pixels: 'yuv444p' }],
  // Each of these videos has the same matrix, range and kind of pixels as one of the videos above.
  ...sized<readonly Row[]>(
    [],
    [
      ['BT.709 in HD', { ...HD, space: 'bt709' }],
      ['BT.709 in HD, untagged HEVC', { ...HD, space: 'bt709', isTagged: false, codec: 'libx265' }],
      ['BT.601 in HD', { ...HD }],
      ['BT.709 with 4:2:2', { space: 'bt709', pixels: 'yuv422p' }],
      ['BT.709 with 4:4:4', { space: 'bt709', pixels: 'yuv444p' }],
    ],
  ),
];

/** The videos of which a frame is chosen. A chosen frame is converted like a cover, so a few videos are enough. */
const CHOSEN = VIDEOS.filter(([what]) => sized(['BT.709 in SD', 'BT.709 in HD, untagged'].includes(what), true));

const signal = new AbortController().signal;
const maker = createCoverMaker({ ffmpegPath: ffmpeg });

describe('a video colour', () => {
  test.each([...VIDEOS])('is preserved in the cover of %s', async (_, options) => {
    await using playground = await Playground.open();
    const cover = await maker.make(await videoSource(playground, options));
    expectNear(await middleOfImage(cover?.bytes ?? new Uint8Array()), COLOUR);
  });

  test.each([...CHOSEN])('is preserved in a chosen frame of %s', async (_, options) => {
    await using playground = await Playground.open();
    const frame = await maker.take(await videoSource(playground, options), 0.25, signal);
    if (frame === null || frame === 'no_tool') throw new Error('There is no frame.');
    expectNear(await middleOfImage(frame.bytes), COLOUR);
  });

  test.each([
    ['SD of BT.709', { space: 'bt709' }, { width: 320, height: 240 }, 'smpte170m'],
    ['HD of BT.601', { ...HD }, HD, 'bt709'],
    ['HD of the full range', { ...HD, space: 'bt709', range: 'pc' }, { width: 1080, height: 1080 }, 'bt709'],
    ['SD of BT.2020', { space: 'bt2020nc' }, { width: 320, height: 240 }, 'smpte170m'],
    ['RGB', { codec: 'libx264rgb' }, { width: 320, height: 240 }, 'smpte170m'],
  ] as const)('is preserved and tagged in a video fitted from %s', async (_, options, size, space) => {
    await using playground = await Playground.open();
    const path = join(playground.path, 'film.mp4');
    await video(path, options);
    const order: FitOrder = {
      ...{ how: 'pad', from: 'video/mp4', maxBytes: 10_000_000, maxTimeMs: 60_000, signal },
      attempt: {
        ...{ type: 'video/mp4', ...size, frameRate: 8, quality: 90, minBitrate: 0, maxBitrate: 4_000_000 },
        ...{ maxDurationMs: null, audioBitrate: 64_000, sampleRate: 44_100 },
      },
    };
    const made = await createMediaFitter({ ffmpegPath: ffmpeg, decoder: { command: [] } }).make(
      await sourceOfFile(path),
      order,
    );
    if (typeof made === 'string') throw new Error(made);
    await using file = made;
    const fitted = join(playground.path, 'fitted.mp4');
    await Bun.write(fitted, Buffer.concat(await Array.fromAsync(file.body())));
    expectNear(await middleOf(fitted, size), COLOUR);
    const report = Bun.spawnSync([ffmpeg, '-i', fitted]).stderr.toString();
    expect(report).toContain(`yuv420p(tv, ${space === 'bt709' ? 'bt709' : 'smpte170m/bt709/bt709'}`);
  });

  test.each(['arib-std-b67', 'smpte2084'])(
    'of HDR video (%s) is shown as white for diffuse white and as grey for grey',
    async (transfer) => {
      await using playground = await Playground.open();
      const path = join(playground.path, 'film.mp4');
      // Diffuse white has 75 % of the signal in HLG, but 58 % in PQ (ITU-R BT.2408).
      const white = transfer === 'smpte2084' ? 148 : 191;
      for (const [level, min, max] of [
        [white, 231, 255],
        [white / 2, 60, 160],
        [0, 0, 3],
      ] as const) {
        const colour = [level, level, level].map(Math.round);
        await video(path, { space: 'bt2020nc', transfer, pixels: 'yuv420p10le', codec: 'libx265', colour });
        const cover = await maker.make(await sourceOfFile(path));
        const shown = await middleOfImage(cover?.bytes ?? new Uint8Array());
        expect(Math.max(...shown) - Math.min(...shown)).toBeLessThanOrEqual(2);
        expect(Math.min(...shown)).toBeGreaterThanOrEqual(min);
        expect(Math.max(...shown)).toBeLessThanOrEqual(max);
      }
    },
  );
});

describe('ffmpeg’s report of a frame', () => {
  const PREFIX = '[Parsed_showinfo_0 @ 0x55d0c8]';
  const lines = (pixels: string, size: string, range = 'unknown', space = 'unknown', curve = 'unknown') =>
    `${PREFIX} n:   0 pts: 0 fmt:${pixels} sar:1/1 s:${size} i:P\n${PREFIX} color_range:${range} color_space:${space} color_primaries:unknown color_trc:${curve}`;
  test.each([
    ['a small untagged frame', lines('yuv420p', '160x719'), null, { matrix: 'bt601', range: 'tv', hdr: null }],
    ['an untagged frame of 720 lines', lines('yuv420p', '160x720'), null, { matrix: 'bt709' }],
    [
      'a frame tagged only by its container',
      lines('yuv420p', '160x96'),
      { matrix: 9, transfer: 18 },
      { matrix: 'bt2020', hdr: 'hlg' },
    ],
    [
      'a frame tagged differently from its container',
      lines('yuv420p', '160x96', 'tv', 'bt709', 'bt709'),
      { matrix: 9, transfer: 16 },
      { matrix: 'bt709', hdr: null },
    ],
    [
      'a frame whose container has no tags',
      lines('yuv420p', '160x96'),
      { matrix: 2, transfer: 2 },
      { matrix: 'bt601' },
    ],
    ['a full-range frame', lines('yuv420p', '160x96', 'pc'), null, { range: 'pc' }],
    ['a frame in a full-range pixel format', lines('yuvj420p', '160x96'), null, { range: 'pc' }],
    ['an RGB frame', lines('gbrp', '160x96', 'pc', 'gbr'), null, { matrix: null }],
    [
      'a PQ frame',
      lines('yuv420p10le', '160x96', 'tv', 'bt2020nc', 'smpte2084'),
      null,
      { matrix: 'bt2020', hdr: 'pq' },
    ],
    ['no frame', '', null, { matrix: 'bt601', range: 'tv', hdr: null }],
  ] as const)('yields the colours of %s', (_, report, declared, expected) => {
    expect(coloursIn(report, declared)).toMatchObject(expected);
  });

  test.each([
    [
      'claim other colours',
      ' fmt:gbrp s:1x1 color_range:pc color_space:bt2020nc color_primaries:x color_trc:smpte2084',
    ],
    ['start a frame again and again', ' fmt:a'.repeat(150_000)],
    ['start a frame without a space', ' fmt:a'.repeat(150_000).replaceAll(' ', '')],
    ['start tags again and again', 'color_range:a'.repeat(75_000)],
  ])('ignores metadata that %s', (_, title) => {
    const start = performance.now();
    const colours = coloursIn(`    title           :${title}\n${lines('yuv420p', '160x96', 'tv', 'smpte170m')}`, null);
    expect(colours).toEqual({ matrix: 'bt601', range: 'tv', hdr: null });
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

test('an ffmpeg that could not list its filters is asked again later', async () => {
  await using playground = await Playground.open();
  const list = ' .S. zscale V->V ...\\n .S. tonemap V->V ...\\n';
  const script = await playground.script(`/bin/mkdir "$MARKS/1" || { printf "${list}"; exit 0; }`, 'exit 1');
  const report = async () =>
    Buffer.from(
      '[Parsed_showinfo_0 @ 0x1] color_range:tv color_space:bt2020nc color_primaries:x color_trc:smpte2084\n',
    );
  const mapsTones = async () => (await findShownVideo(script, sourceOf(new Uint8Array(16)), report)).mapsTones;
  expect([await mapsTones(), await mapsTones(), await mapsTones()]).toEqual([false, true, true]);
});
