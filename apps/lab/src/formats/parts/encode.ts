import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { pixelsOf, type QUARTERS, type Size } from './quarters.ts';

/** Returns the quarters as an image for libvips' encoders. */
export const still = (size: Size, colours?: typeof QUARTERS): Sharp =>
  sharp(pixelsOf(size, colours), { raw: { ...size, channels: 3 } });

const kept = new Map<string, Promise<Uint8Array>>();

/** Runs `encode` only once for each name, because many specimens are made from the same encoded part. */
export function once(name: string, encode: () => Promise<Uint8Array>): Promise<Uint8Array> {
  const found = kept.get(name) ?? encode();
  kept.set(name, found);
  return found;
}

/**
 * Encodes an image of the quarters with ffmpeg, and returns the file that ffmpeg writes. The image is passed as a PNG;
 * arguments before the input can repeat it and set the frame rate.
 *
 * @throws Error with ffmpeg's error output
 */
export async function encodeWithFfmpeg(
  { size, before, after, extension }: FfmpegOrder,
  colours?: typeof QUARTERS,
): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'postshelf-formats-'));
  try {
    const [image, made] = [join(folder, 'image.png'), join(folder, `made.${extension}`)];
    await still(size, colours).png().toFile(image);
    const child = Bun.spawn(
      ['ffmpeg', '-nostdin', '-v', 'error', '-fflags', '+bitexact', ...before, '-i', image, ...after, '-y', made],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const complaint = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) throw new Error(`ffmpeg made no ${extension} by ${after.join(' ')}: ${complaint}`);
    return await Bun.file(made).bytes();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface FfmpegOrder {
  readonly size: Size;
  /** The arguments before the input. Those after the input are in `after`. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly extension: string;
}
