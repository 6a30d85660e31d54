import { afterAll, beforeAll, expect } from 'bun:test';
import { join } from 'node:path';
import type { FitOrder, MediaFacts } from '@postshelf/domain';
import { sourceOf } from '@postshelf/testing/fixtures';
import { testsThatNeed } from '@postshelf/testing/programs';
import { createCoverMaker, createMediaFitter, createMediaInspector } from '../../src/index.ts';
import { box, description, descriptions, movie, sampleTables, track, uint32s } from '../support/boxes.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { Playground } from '../support/scripts.ts';

const { describe, test } = testsThatNeed(['ffmpeg'], 'videos as players show them');

const inspector = createMediaInspector();
const inspect = async (bytes: Uint8Array) => (await inspector.inspect(sourceOf(bytes))) as MediaFacts;

let playground: Playground;
beforeAll(async () => {
  playground = await Playground.open();
});
afterAll(() => playground[Symbol.asyncDispose]());

async function run(args: readonly string[]): Promise<Uint8Array> {
  const child = Bun.spawn([ffmpeg, '-nostdin', '-v', 'error', ...args], { stdout: 'pipe', stderr: 'pipe' });
  const [bytes, complaint] = await Promise.all([new Response(child.stdout).bytes(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(complaint);
  return bytes;
}

async function video(name: string, ...args: readonly string[]): Promise<Buffer> {
  const path = join(playground.path, name);
  await run([...args, '-y', path]);
  return Buffer.from(await Bun.file(path).bytes());
}

const picture = (seconds: number) => ['-f', 'lavfi', '-i', `testsrc=size=160x96:rate=25:duration=${seconds}`];
const B_FRAMES = ['-c:v', 'libx264', '-preset', 'fast', '-bf', '2', '-g', '25', '-pix_fmt', 'yuv420p'];
const FRAGMENTS = ['-movflags', '+frag_keyframe+empty_moov+default_base_moof'];

describe('the duration of a real video', () => {
  test('is taken from its samples in fragments with B-frames and an edit list', async () => {
    const bytes = await video('delayed.mp4', ...picture(2.44), ...B_FRAMES, ...FRAGMENTS);
    expect(await inspect(bytes)).toMatchObject({ time: 2, details: { video: { durationMs: 2440 } } });
  });

  test('counts from its first frame if no edit list skips the delay', async () => {
    const bytes = await video('unedited.mp4', ...picture(2.6), ...B_FRAMES, '-use_editlist', '0');
    expect([bytes.includes('elst'), bytes.includes('ctts')]).toEqual([false, true]);
    // If the header says nothing about the length, the samples determine it.
    for (const claimed of [bytes.readUInt32BE(bytes.indexOf('mdhd') + 20), 0, 0xffffffff]) {
      bytes.writeUInt32BE(claimed, bytes.indexOf('mdhd') + 20);
      expect(await inspect(bytes)).toMatchObject({ time: 3, details: { video: { durationMs: 2600 } } });
    }
  });

  test('is taken from its samples in fragments cut from a stream an hour after its start', async () => {
    const cut = ['-output_ts_offset', '3600'];
    const bytes = await video('cut.mp4', ...picture(4), ...B_FRAMES, ...cut, ...FRAGMENTS);
    expect(await inspect(bytes)).toMatchObject({ time: 4, details: { video: { durationMs: 4000 } } });
  });

  test.each([0, 0xffffffff, 3_600_000, 100])(
    'is taken from its samples, whatever its headers claim: %d',
    async (claimed) => {
      for (const flags of [['-movflags', '+faststart'], FRAGMENTS]) {
        const bytes = await video('headers.mp4', ...picture(3), ...B_FRAMES, ...flags);
        for (const [type, at] of [
          ['mvhd', 20],
          ['mdhd', 20],
          ['tkhd', 24],
        ] as const)
          bytes.writeUInt32BE(claimed, bytes.indexOf(type) + at);
        expect(await inspect(bytes)).toMatchObject({ time: 3, details: { video: { durationMs: 3000 } } });
      }
    },
  );

  test('includes audio that is longer than the video, as in players', async () => {
    const sound = ['-f', 'lavfi', '-i', 'sine=duration=4', '-c:a', 'aac'];
    const bytes = await video('sound.mp4', ...picture(2), ...sound, ...B_FRAMES);
    expect(await inspect(bytes)).toMatchObject({ time: 4 });
  });
});

describe('a video with several tracks', () => {
  const signal = new AbortController().signal;
  const RED = [253, 0, 0];
  const BLUE = [0, 0, 254];

  async function twoTracks(enabled: readonly [boolean, boolean]): Promise<Buffer> {
    const colour = (name: string, size: string) => [
      '-f',
      'lavfi',
      '-i',
      `color=${name}:size=${size}:rate=10:duration=2`,
    ];
    const inputs = [...colour('red', '160x120'), ...colour('blue', '320x240')];
    const sound = ['-f', 'lavfi', '-i', 'sine=duration=2'];
    const maps = ['-map', '2', '-map', '0', '-map', '1', '-timecode', '01:00:00:00'];
    const bytes = await video('two.mp4', ...inputs, ...sound, ...maps, ...B_FRAMES, '-c:a', 'aac');
    // The first header belongs to the sound track, and is skipped.
    let at = bytes.indexOf('tkhd');
    for (const isOn of enabled) {
      at = bytes.indexOf('tkhd', at + 4);
      bytes.writeUInt8(isOn ? 3 : 2, at + 7);
    }
    return bytes;
  }

  async function middleOf(bytes: Uint8Array): Promise<readonly number[]> {
    const path = join(playground.path, 'shown');
    await Bun.write(path, bytes);
    return [
      ...(
        await run(['-i', path, '-frames:v', '1', '-vf', 'crop=2:2', ...'-f rawvideo -pix_fmt rgb24 -'.split(' ')])
      ).slice(0, 3),
    ];
  }

  test.each([
    ['the first is disabled', [false, true], 320, BLUE],
    ['the second is disabled', [true, false], 160, RED],
    ['both are enabled', [true, true], 160, RED],
    ['both are disabled', [false, false], 160, RED],
  ] as const)('has its size, cover and fitted file from the same track if %s', async (_, enabled, width, colour) => {
    const bytes = await twoTracks(enabled);
    const source = sourceOf(bytes);
    expect(await inspect(bytes)).toMatchObject({ width, time: 2 });
    const maker = createCoverMaker({ ffmpegPath: ffmpeg });
    const order: FitOrder = {
      ...{ how: 'pad', from: 'video/mp4', maxBytes: 10_000_000, maxTimeMs: 60_000, signal },
      attempt: {
        ...{ type: 'video/mp4', width: 240, height: 240, frameRate: 10, quality: 90, minBitrate: 0 },
        ...{ maxBitrate: 4_000_000, maxDurationMs: null, audioBitrate: 64_000, sampleRate: 44_100 },
      },
    };
    const made = await createMediaFitter({ ffmpegPath: ffmpeg, decoder: { command: [] } }).make(source, order);
    if (typeof made === 'string') throw new Error(made);
    await using file = made;
    const shown = [await maker.make(source), await maker.take(source, 1, signal)].map((cover) => {
      if (cover === null || cover === 'no_tool') throw new Error('There is no cover.');
      expect(cover.width).toBe(width);
      return cover.bytes;
    });
    for (const each of [...shown, Buffer.concat(await Array.fromAsync(file.body()))]) {
      const distances = (await middleOf(each)).map((value, index) => Math.abs(value - (colour[index] ?? 0)));
      expect(distances).toHaveLength(3);
      expect(Math.max(...distances)).toBeLessThanOrEqual(4);
    }
  });
});

describe('a video without fragments whose edits have the duration 0', () => {
  test('has a cover and a fitted file with its pictures and its sound', async () => {
    const sound = ['-f', 'lavfi', '-i', 'sine=duration=2', '-c:a', 'aac'];
    const bytes = await video('open.mp4', ...picture(2), ...sound, ...B_FRAMES);
    // Programs that join the tracks of a stream copy such edits from its fragments.
    for (let at = bytes.indexOf('elst'); at >= 0; at = bytes.indexOf('elst', at + 4)) bytes.writeUInt32BE(0, at + 12);
    const source = sourceOf(bytes);
    expect(await inspect(bytes)).toMatchObject({ time: 2 });
    const maker = createCoverMaker({ ffmpegPath: ffmpeg });
    const { signal } = new AbortController();
    for (const cover of [await maker.make(source), await maker.take(source, 1, signal)])
      expect(cover).toMatchObject({ width: 160, height: 96 });
    const order: FitOrder = {
      ...{ how: 'pad', from: 'video/mp4', maxBytes: 10_000_000, maxTimeMs: 60_000, signal },
      attempt: {
        ...{ type: 'video/mp4', width: 160, height: 96, frameRate: 25, quality: 75, minBitrate: 0 },
        ...{ maxBitrate: 4_000_000, maxDurationMs: null, audioBitrate: 64_000, sampleRate: 44_100 },
      },
    };
    const made = await createMediaFitter({ ffmpegPath: ffmpeg, decoder: { command: [] } }).make(source, order);
    if (typeof made === 'string') throw new Error(made);
    await using file = made;
    const fitted = Buffer.concat(await Array.fromAsync(file.body()));
    expect(await inspect(fitted)).toMatchObject({
      time: 2,
      details: { video: { frameRate: 25, audio: { channels: 2 } } },
    });
  });
});

describe('the sound of a video with several sound tracks', () => {
  /** Makes a video with stereo and mono sound, in this order, one of which has a codec that only Apple's devices play. */
  async function twoSounds(unknown: 'first' | 'second'): Promise<Buffer> {
    const sounds = ['sine=frequency=440:duration=2', 'sine=frequency=880:duration=2'];
    const inputs = [...picture(2), ...sounds.flatMap((sound) => ['-f', 'lavfi', '-i', sound])];
    const maps = ['-map', '0', '-map', '1', '-map', '2', '-c:a', 'aac', '-ac:a:0', '2', '-ac:a:1', '1'];
    const bytes = await video('sounds.mp4', ...inputs, ...maps, ...B_FRAMES);
    const at = unknown === 'first' ? bytes.indexOf('mp4a') : bytes.lastIndexOf('mp4a');
    bytes.write('apac', at, 'latin1');
    bytes.write('dapa', bytes.indexOf('esds', at), 'latin1');
    return bytes;
  }

  test.each([
    ['first', 1],
    ['second', 2],
  ] as const)(
    'is that of the track that can be played if the codec of the %s one is unknown',
    async (unknown, channels) => {
      const bytes = await twoSounds(unknown);
      const audio = { codec: 'aac', sampleRate: 44_100 };
      expect(await inspect(bytes)).toMatchObject({ details: { video: { audio: { ...audio, channels } } } });
      const order: FitOrder = {
        ...{ how: 'pad', from: 'video/mp4', maxBytes: 10_000_000, maxTimeMs: 60_000 },
        signal: new AbortController().signal,
        attempt: {
          ...{ type: 'video/mp4', width: 160, height: 96, frameRate: 25, quality: 75, minBitrate: 0 },
          ...{ maxBitrate: 4_000_000, maxDurationMs: null, audioBitrate: 64_000, sampleRate: 44_100 },
        },
      };
      const made = await createMediaFitter({ ffmpegPath: ffmpeg, decoder: { command: [] } }).make(
        sourceOf(bytes),
        order,
      );
      if (typeof made === 'string') throw new Error(made);
      await using file = made;
      const fitted = Buffer.concat(await Array.fromAsync(file.body()));
      expect(await inspect(fitted)).toMatchObject({ details: { video: { audio: { ...audio, channels: 2 } } } });
    },
  );
});

describe('the displayed track', () => {
  const sized = (width: number, sizes: number, options: object = {}) =>
    track({ table: [descriptions([description(width, width)]), ...sampleTables({ sizes })], ...options });
  test.each([
    ['has samples', [sized(10, 0, { id: 1 }), sized(20, 1, { id: 2 })], 20],
    ['has a size', [sized(0, 1, { id: 1 }), sized(20, 1, { id: 2 })], 20],
    ['is enabled', [sized(10, 1, { id: 1, enabled: false }), sized(20, 1, { id: 2 })], 20],
    [
      'is the first disabled one if all others are empty',
      [sized(10, 1, { enabled: false }), sized(20, 0, { id: 2 })],
      10,
    ],
  ] as const)('%s', async (_, tracks, width) => {
    expect(await inspect(movie(...tracks))).toMatchObject({ width });
  });
});

describe('a video with a colr box', () => {
  const numbers = Buffer.from([0, 1, 0, 1, 0, 1]);
  test.each([
    ['nclx', Buffer.concat([Buffer.from('nclx'), numbers, Buffer.from([0x80])])],
    ['nclx without a range', Buffer.concat([Buffer.from('nclx'), numbers])],
    ['nclc', Buffer.concat([Buffer.from('nclc'), numbers])],
    ['a truncated nclx', Buffer.from('nclx\0')],
    ['a profile', Buffer.concat([Buffer.from('prof'), Buffer.alloc(20)])],
    ['an unknown kind', Buffer.from('abcd')],
    ['no bytes', Buffer.alloc(0)],
  ])('is read whatever the box contains: %s', async (_, content) => {
    for (const more of [[], [box('pasp', uint32s(2, 1))]]) {
      const table = [descriptions([description(320, 240, box('colr', content), ...more)]), ...sampleTables()];
      const width = more.length > 0 ? 640 : 320;
      expect(await inspect(movie(track({ table })))).toMatchObject({ type: 'video/mp4', width, height: 240 });
    }
  });
});
