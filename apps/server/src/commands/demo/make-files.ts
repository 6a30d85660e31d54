import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { Canvas } from './canvas.ts';
import { type DemoItem, SIZES } from './catalogue.ts';
import { between, type Random } from './random.ts';
import { SCENES } from './scenes.ts';

/**
 * The factor by which a picture is painted smaller than its final size: painting time is proportional to the pixels,
 * and there are no fine details.
 */
const PAINTED = 0.6;
const QUALITY = 84;

/** How much wider the image is than the video that pans over it. */
const PAN = 1.3;
const FRAMES_PER_SECOND = 25;

/** Milliseconds; a video usually takes one or two seconds. */
const VIDEO_TIMEOUT = 120_000;

/** The bytes of an image. */
export async function makeImage(item: DemoItem, random: Random): Promise<Uint8Array> {
  const [width, height] = SIZES[item.size];
  const image = paint(item, width, height, random);
  const type = extname(item.name);
  if (type === '.png') return image.png({ palette: true, colors: 128, dither: true }).bytes();
  return type === '.webp' ? image.webp({ quality: QUALITY }).bytes() : image.jpeg({ quality: QUALITY }).bytes();
}

/** The bytes of a video: a pan of some seconds over an image. @throws Error if ffmpeg fails */
export async function makeVideo(ffmpeg: string, item: DemoItem, random: Random): Promise<Uint8Array> {
  const [width, height] = SIZES[item.size].map((side) => 2 * Math.round(side / 3)) as [number, number];
  const seconds = Math.round(between(random, 5, 11));
  const image = paint(item, Math.round(width * PAN), height, random);
  const folder = await mkdtemp(join(tmpdir(), 'postshelf-demo-'));
  try {
    const picture = join(folder, 'picture.jpg');
    await image.jpeg({ quality: 92 }).write(picture);
    const film = join(folder, `film${extname(item.name)}`);
    const still = ['-loop', '1', '-framerate', String(FRAMES_PER_SECOND), '-t', String(seconds), '-i', picture];
    const silence = ['-f', 'lavfi', '-t', String(seconds), '-i', 'anullsrc=r=48000:cl=stereo'];
    const pan = ['-vf', `crop=${width}:${height}:(iw-ow)*t/${seconds}:0`];
    const coded = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '26', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
    const words = ['-nostdin', '-loglevel', 'error', ...still, ...silence, ...pan, ...coded, '-movflags', '+faststart'];
    const child = Bun.spawn([ffmpeg, ...words, film], { stdout: 'ignore', stderr: 'pipe', timeout: VIDEO_TIMEOUT });
    const complaint = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) throw new Error(`ffmpeg made no video: ${complaint.trim().split('\n').at(-1)}`);
    return await Bun.file(film).bytes();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function paint({ scene, hue }: DemoItem, width: number, height: number, random: Random): Bun.Image {
  const canvas = new Canvas(Math.round(width * PAINTED), Math.round(height * PAINTED));
  SCENES[scene](canvas, hue, random);
  return new Bun.Image(canvas.bmp(random)).resize(width, height);
}
