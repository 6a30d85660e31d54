import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HeifFile, imageSize, readHeif } from '@postshelf/testing/fixtures';
import type { Size } from './quarters.ts';

/** For each encoder, the Debian package that contains both the encoder and its decoder. */
const HEIF_PROGRAMS = { 'heif-enc': 'libheif-examples', avifenc: 'libavif-bin' } as const;

/** Whether images can be encoded as HEIC and AVIF here. */
export const hasHeifPrograms = (): boolean => Object.keys(HEIF_PROGRAMS).every((name) => Bun.which(name) !== null);

const kept = new Map<string, Promise<Uint8Array>>();

/**
 * Encodes PNGs with `heif-enc` into one file, each as a separate image; the first one is the primary image.
 *
 * @throws Error with the program's error output
 */
export const encodeHeic = async (images: readonly Uint8Array[], options: readonly string[]): Promise<HeifFile> =>
  readHeif(
    await encode(images, 'heic', (inputs, output) => [
      ...['heif-enc', '-p', 'preset=ultrafast', '-q', '90', ...options, '-o', output],
      ...inputs,
    ]),
  );

/**
 * Encodes PNGs with `avifenc`. Several PNGs become the frames of a sequence, or the cells of a grid.
 *
 * @throws Error with the program's error output
 */
export const encodeAvif = (
  images: readonly Uint8Array[],
  options: readonly string[],
  beside: Readonly<Record<string, Uint8Array>> = {},
): Promise<Uint8Array> =>
  encode(
    images,
    'avif',
    (inputs, output) => [
      ...['avifenc', '-s', '9', '-j', '2', '--min', '4', '--max', '10', '--minalpha', '0', '--maxalpha', '0'],
      ...[...options, ...inputs, output],
    ],
    beside,
  );

/** How samples of an HEVC image are derived from red, green and blue. */
export interface HevcColours {
  /** The name of the matrix in ffmpeg's filter, and in the stream. */
  readonly matrix: readonly [filter: string, stream: string];
  readonly isFull: boolean;
  /** Names of the primaries and transfer for the stream. */
  readonly primaries?: string;
  readonly transfer?: string;
  /** `yuv420p`, `gray10le`, … */
  readonly pixels: string;
}

/**
 * Encodes PNGs of one size as the frames of an HEVC video, each of them a key frame, and returns the video.
 *
 * @throws Error with the program's error output
 */
export const encodeHevcVideo = (
  images: readonly Uint8Array[],
  { matrix: [filter, stream], isFull, primaries, transfer, pixels }: HevcColours,
): Promise<Uint8Array> => {
  const range = isFull ? 'pc' : 'tv';
  const colours = pixels.startsWith('gbr') ? [] : ['-vf', `scale=out_color_matrix=${filter}:out_range=${range}`];
  return encode(images, 'mp4', (_, output) => [
    ...['ffmpeg', '-nostdin', '-v', 'error', '-framerate', '5', '-start_number', '0', '-i', '%d.png', ...colours],
    ...['-c:v', 'libx265', '-preset', 'ultrafast', '-crf', '12', '-pix_fmt', pixels],
    ...['-colorspace', stream, '-color_range', range],
    ...(primaries ? ['-color_primaries', primaries] : []),
    ...(transfer ? ['-color_trc', transfer] : []),
    ...['-x265-params', 'log-level=none:keyint=1:bframes=0', '-tag:v', 'hvc1', output],
  ]);
};

/** Returns the frames of a video, all of them key frames, as the images of a HEIC file. The first one is primary. */
export function framesOf(video: Uint8Array, size: Size): HeifFile {
  const bytes = Buffer.from(video);
  const header = boxOf(bytes, 'hvcC');
  const sizes = boxOf(bytes, 'stsz');
  const [each, count] = [sizes.readUInt32BE(12), sizes.readUInt32BE(16)];
  let at = bytes.indexOf('mdat', 0, 'latin1') + 4;
  const items = Array.from({ length: count }, (_, index) => {
    const length = each || sizes.readUInt32BE(20 + 4 * index);
    at += length;
    return {
      ...{ id: index + 1, type: 'hvc1', data: bytes.subarray(at - length, at) },
      properties: [imageSize(size.width, size.height), header],
    };
  });
  return { brand: 'heic', compatible: ['mif1', 'heic'], primary: 1, items };
}

/** Returns the first box of a type, with its header. */
function boxOf(bytes: Buffer, type: string): Buffer {
  const at = bytes.indexOf(type, 0, 'latin1') - 4;
  return bytes.subarray(at, at + bytes.readUInt32BE(at));
}

/**
 * Runs an encoder.
 *
 * @param beside additional files for the encoder's working directory, by the names that the command's options use
 */
function encode(
  images: readonly Uint8Array[],
  extension: string,
  command: (inputs: readonly string[], output: string) => readonly string[],
  beside: Readonly<Record<string, Uint8Array>> = {},
): Promise<Uint8Array> {
  const inputs = images.map((_, index) => `${index}.png`);
  const output = `made.${extension}`;
  const order = command(inputs, output);
  const files = {
    ...beside,
    ...Object.fromEntries(inputs.map((name, index) => [name, images[index] ?? Buffer.of()])),
  };
  const key = JSON.stringify([order, Object.values(files).map((bytes) => String(Bun.hash(bytes)))]);
  const made = kept.get(key) ?? run(files, order, output);
  kept.set(key, made);
  return made;
}

async function run(
  files: Readonly<Record<string, Uint8Array>>,
  command: readonly string[],
  output: string,
): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'postshelf-formats-'));
  try {
    for (const [name, bytes] of Object.entries(files)) await Bun.write(join(folder, name), bytes);
    const child = Bun.spawn([...command], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    const complaint = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${complaint}`);
    return await Bun.file(join(folder, output)).bytes();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
