import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bigEndian, seedBytes } from '../bytes/bytes.ts';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

/**
 * Returns a copy of a valid movie with some bytes overwritten. Each change overwrites bytes in the first box of the
 * given type, at an offset that counts from the end of the box's header.
 */
function changed(bytes: Uint8Array, ...changes: readonly (readonly [type: string, offset: number, put: string])[]) {
  const movie = Buffer.from(bytes);
  for (const [type, offset, put] of changes) {
    const at = movie.indexOf(type);
    if (at < 0) throw new Error(`The movie has no ${type}.`);
    movie.write(put, at + 4 + offset, 'latin1');
  }
  return movie;
}

/** The position of the dimensions in the first sample description (section 12.1.3). */
const SIZE_FIELD = ['stsd', 40] as const;

const playable = (): Uint8Array => seedBytes('mp4-short.mp4');

/**
 * Returns a movie that declares these dimensions for the track (16.16) and for its frames (ISO/IEC 14496-12, sections
 * 8.3.2 and 12.1.3).
 */
export const ofDimensions = (width: number, height: number): Uint8Array =>
  changed(
    playable(),
    ['tkhd', 76, bigEndian(width * 65_536, 4) + bigEndian(height * 65_536, 4)],
    [...SIZE_FIELD, bigEndian(width, 2) + bigEndian(height, 2)],
  );

/** Returns a movie with a duration in units of `timescale` per second (section 8.2.2). */
export const ofDuration = (duration: number, timescale: number): Uint8Array =>
  changed(playable(), ['mvhd', 12, bigEndian(timescale, 4) + bigEndian(duration, 4)]);

/** Returns a movie whose sample tables claim billions of samples in a few bytes (sections 8.6 and 8.7). */
export const ofSamples = (count: number): Uint8Array =>
  changed(
    playable(),
    ['stts', 4, bigEndian(1, 4) + bigEndian(count, 4)],
    ['stsz', 4, bigEndian(1, 4) + bigEndian(count, 4)],
    ['stsc', 4, bigEndian(1, 4) + bigEndian(1, 4) + bigEndian(count, 4)],
  );

/** Returns a movie box that contains nothing but this many empty boxes. */
export function ofBoxes(count: number): Uint8Array {
  const boxes = Buffer.alloc(8 * count);
  for (let at = 0; at < boxes.length; at += 8) boxes.write('\0\0\0\x08free', at, 'latin1');
  return Buffer.concat([fileType(), latin1(`${bigEndian(8 + boxes.length, 4)}moov`), boxes]);
}

/** Returns nested boxes, each of which extends to the end of the file. */
export const ofDepth = (depth: number): Uint8Array =>
  Buffer.concat([fileType(), latin1(`\0\0\0\0moov${'\0\0\0\0trak\0\0\0\0mdia'.repeat(depth / 2)}`)]);

const fileType = (): Uint8Array => {
  const bytes = playable();
  return bytes.subarray(0, new DataView(bytes.buffer, bytes.byteOffset).getUint32(0));
};

/**
 * Makes a video of small frames whose container claims other dimensions. The decoders of these codecs believe the
 * container, and allocate memory for the claimed dimensions before they read a frame.
 */
export async function believed(codec: 'qtrle' | 'png' | 'mjpeg', width: number, height: number): Promise<Uint8Array> {
  const movie = await encode(['-f', 'lavfi', '-i', 'color=size=64x64:rate=5:duration=2', '-c:v', codec], 'mov');
  const claimed = bigEndian(width * 65_536, 4) + bigEndian(height * 65_536, 4);
  return changed(movie, ['tkhd', 76, claimed], [...SIZE_FIELD, bigEndian(width, 2) + bigEndian(height, 2)]);
}

/** Makes a video whose frames really have these dimensions. It has one colour, and takes some kilobytes. */
export const honest = (width: number, height: number): Promise<Uint8Array> => {
  const source = `color=size=${width}x${height}:rate=1:duration=2`;
  return encode(['-f', 'lavfi', '-i', source, '-c:v', 'mpeg4', '-threads', '1', '-q:v', '31'], 'mp4');
};

async function encode(options: readonly string[], extension: string): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'postshelf-bomb-'));
  try {
    const path = join(folder, `bomb.${extension}`);
    const command = ['ffmpeg', '-nostdin', '-v', 'error', ...options, path];
    const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' });
    const complaint = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) throw new Error(`ffmpeg made no bomb: ${complaint}`);
    return await Bun.file(path).bytes();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
