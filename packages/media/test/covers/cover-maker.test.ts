import { expect } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteSource } from '@postshelf/domain';
import { describeCoverMaker } from '@postshelf/testing/contracts/covers/cover-maker';
import { FIXTURE_NAMES, fixture, otherFixture, sourceOf, sourceOfFile } from '@postshelf/testing/fixtures';
import { hasPrograms, testsThatNeed } from '@postshelf/testing/programs';
import { createCoverMaker, createMediaInspector } from '../../src/index.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { Playground } from '../support/scripts.ts';

const { describe, test } = testsThatNeed(['ffmpeg'], 'covers by ffmpeg');

/** Files without a video track: images and audio. */
const OTHERS = ['m4a', 'mp4-sound-only', 'bmp'] as const;
const PICTURES = ['jpeg', 'gif-animated'];

const all = await Promise.all(FIXTURE_NAMES.map(async (name) => ({ name, ...(await fixture(name)) })));
const others = await Promise.all(OTHERS.map(async (name) => ({ name, path: (await otherFixture(name)).path })));
const isVideo = ({ time }: { time: number | null }) => time !== null;

if (hasPrograms(['ffmpeg'], 'the contract of what makes covers'))
  describeCoverMaker('ffmpeg', () => createCoverMaker({ ffmpegPath: ffmpeg }), {
    videos: all.filter(isVideo).map(({ name, path, width, height }) => {
      const shrink = Math.min(1, 1280 / Math.max(width, height));
      return { name, width: width * shrink, height: height * shrink, open: () => sourceOfFile(path) };
    }),
    others: [...all.filter(({ name }) => PICTURES.includes(name)), ...others].map(({ name, path }) => ({
      name,
      open: () => sourceOfFile(path),
    })),
  });

describe('a cover', () => {
  test('is an image that the inspector can read', async () => {
    const cover = await createCoverMaker({ ffmpegPath: ffmpeg }).make(await videoSource('mp4-turned'));
    const facts = await createMediaInspector().inspect(sourceOf(cover?.bytes ?? new Uint8Array()));
    expect(facts).toMatchObject({ type: 'image/jpeg', width: 96, height: 160, time: null });
  });

  test('does not name the tool that made it', async () => {
    const cover = await createCoverMaker({ ffmpegPath: ffmpeg }).make(await videoSource('mp4'));
    expect(Buffer.from(cover?.bytes ?? []).includes('Lav')).toBe(false);
  });

  test('is not made without ffmpeg, and the video is not read', async () => {
    const read = () => Promise.reject(new Error('The video was read.'));
    expect(await createCoverMaker({ ffmpegPath: null }).make({ size: 1000, read })).toBeNull();
  });

  test("is not made if ffmpeg is missing or isn't executable", async () => {
    const source = await videoSource('mp4');
    expect(await createCoverMaker({ ffmpegPath: '/nowhere/ffmpeg' }).make(source)).toBeNull();
    expect(await createCoverMaker({ ffmpegPath: '/etc/hostname' }).make(source)).toBeNull();
  });

  test('is not made from a missing file', async () => {
    const source = { ...sourceOf(new Uint8Array(9)), path: '/nowhere/video.mp4' };
    expect(await createCoverMaker({ ffmpegPath: ffmpeg }).make(source)).toBeNull();
  });

  test('is not made from a video that is too large to copy', async () => {
    const read = () => Promise.reject(new Error('The video was read.'));
    const maker = createCoverMaker({ ffmpegPath: ffmpeg });
    expect(await maker.make({ size: 2 * 1024 ** 3 + 1, read })).toBeNull();
  });
});

describe('the frame of a cover', () => {
  const PATTERN = 'testsrc2=size=640x360:rate=25';
  const BLACK = 'color=black:size=640x360:rate=25';

  const run = async (options: readonly string[]): Promise<Uint8Array> => {
    const child = Bun.spawn([ffmpeg, '-nostdin', '-v', 'error', ...options], { stdout: 'pipe', stderr: 'pipe' });
    const bytes = await new Response(child.stdout).bytes();
    if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
    return bytes;
  };

  /** Returns the mean brightness of the cover of a video, from 0 to 255. @param filter of ffmpeg, on a test pattern */
  async function brightnessOf(source: string, filter: string): Promise<number> {
    await using playground = await Playground.open();
    const [video, jpeg] = [join(playground.path, 'video.mp4'), join(playground.path, 'cover.jpg')];
    await run(['-f', 'lavfi', '-i', source, '-vf', filter, '-c:v', 'libx264', '-preset', 'ultrafast', video]);
    const cover = await createCoverMaker({ ffmpegPath: ffmpeg }).make(await sourceOfFile(video));
    if (cover === null) throw new Error('There is no cover.');
    await writeFile(jpeg, cover.bytes);
    const grey = ['-vf', 'scale=1:1,format=yuv420p', '-f', 'rawvideo', '-pix_fmt', 'gray', '-'];
    return (await run(['-i', jpeg, ...grey]))[0] ?? -1;
  }

  test('is the one at the first second if something is to be seen there, even if it is dark', async () => {
    const filter = "geq=lum='if(lt(T,2),lum(X,Y)/4,lum(X,Y))':cb='cb(X,Y)':cr='cr(X,Y)'";
    expect(await brightnessOf(`${PATTERN}:duration=4`, filter)).toBeLessThan(64);
  });

  test.each([
    ['fades in for three seconds', `${PATTERN}:duration=4`, 'fade=in:st=1:d=2'],
    ['is black for five seconds', `${PATTERN}:duration=12`, 'fade=in:st=5:d=1'],
  ])('is a later one if the video %s', async (_, source, filter) => {
    expect(await brightnessOf(source, filter)).toBeGreaterThan(64);
  });

  test.each([
    ['black until the end', `${BLACK}:duration=12`],
    ['black, and shorter than three seconds', `${BLACK}:duration=2`],
    ['black, and shorter than a second', `${BLACK}:duration=0.4`],
  ])('is black if the video is %s', async (_, source) => {
    expect(await brightnessOf(source, 'null')).toBeLessThan(8);
  });
});

describe('a file disguised as a video', () => {
  /**
   * Returns the number of bytes that ffmpeg writes for the file without confinement. If it isn't 0, the confinement has
   * something to prevent.
   */
  const unconfined = async (demuxer: string, path: string): Promise<number> => {
    const options = ['-v', 'quiet', '-protocol_whitelist', 'file,http,tcp', '-safe', '0', '-f', demuxer, '-i', path];
    const unsafe = demuxer === 'concat' ? options : options.filter((option) => !['-safe', '0'].includes(option));
    const extensions = demuxer === 'hls' ? ['-allowed_extensions', 'ALL'] : [];
    const output = ['-frames:v', '1', '-f', 'mjpeg', 'pipe:1'];
    const child = Bun.spawn([ffmpeg, '-nostdin', ...extensions, ...unsafe, ...output], {
      stdout: 'pipe',
      stderr: 'ignore',
    });
    return (await new Response(child.stdout).bytes()).length;
  };

  const cases: [string, string, (url: string) => string][] = [
    ['a playlist', 'hls', (url) => `#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\n${url}\n#EXT-X-ENDLIST\n`],
    ['a list of files', 'concat', (url) => `ffconcat version 1.0\nfile '${url}'\n`],
  ];

  test.each(cases)('makes ffmpeg read no other file if it is %s', async (_, demuxer, listOf) => {
    await using playground = await Playground.open();
    const path = join(playground.path, 'video.mp4');
    await writeFile(path, listOf((await fixture('mp4')).path));
    expect(await unconfined(demuxer, path)).toBeGreaterThan(0);
    expect(await createCoverMaker({ ffmpegPath: ffmpeg }).make(await sourceOfFile(path))).toBeNull();
  });

  test.each(cases)('makes ffmpeg fetch nothing if it is %s', async (_, demuxer, listOf) => {
    await using playground = await Playground.open();
    const video = Bun.file((await fixture('mp4')).path);
    let requests = 0;
    await using server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => {
        requests += 1;
        return new Response(video);
      },
    });
    const path = join(playground.path, 'video.mp4');
    await writeFile(path, listOf(`http://127.0.0.1:${server.port}/video.mp4`));
    await unconfined(demuxer, path);
    expect(requests).toBeGreaterThan(0);
    requests = 0;
    expect(await createCoverMaker({ ffmpegPath: ffmpeg }).make(await sourceOfFile(path))).toBeNull();
    expect(requests).toBe(0);
  });
});

async function videoSource(name: Parameters<typeof fixture>[0]): Promise<ByteSource> {
  return sourceOfFile((await fixture(name)).path);
}
