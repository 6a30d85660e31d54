import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Random } from '@postshelf/domain';
import type { DemoItem } from './catalogue.ts';
import { PICTURES } from './pictures.ts';
import { between } from './random.ts';

const FRAMES_PER_SECOND = 25;

const VIDEO_TIMEOUT = 120_000;

/** Makes an upright video (9:16): a pan of a few seconds over an image. @throws Error if ffmpeg fails */
export async function makeVideo(ffmpeg: string, item: DemoItem, random: Random): Promise<Uint8Array> {
  const seconds = Math.round(between(random, 5, 11));
  const folder = await mkdtemp(join(tmpdir(), 'postshelf-demo-'));
  try {
    const picture = join(folder, item.picture);
    await Bun.write(picture, Bun.file(PICTURES[item.picture]));
    const video = join(folder, `film${extname(item.name)}`);
    const still = ['-loop', '1', '-framerate', String(FRAMES_PER_SECOND), '-t', String(seconds), '-i', picture];
    const silence = ['-f', 'lavfi', '-t', String(seconds), '-i', 'anullsrc=r=48000:cl=stereo'];
    const pan = ['-vf', `crop=2*floor(ih*9/32):2*floor(ih/2):(iw-ow)*t/${seconds}:0`];
    const coded = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '26', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
    const words = ['-nostdin', '-loglevel', 'error', ...still, ...silence, ...pan, ...coded, '-movflags', '+faststart'];
    const child = Bun.spawn([ffmpeg, ...words, video], { stdout: 'ignore', stderr: 'pipe', timeout: VIDEO_TIMEOUT });
    const complaint = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) throw new Error(`ffmpeg produced no video: ${complaint.trim().split('\n').at(-1)}`);
    return await Bun.file(video).bytes();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
