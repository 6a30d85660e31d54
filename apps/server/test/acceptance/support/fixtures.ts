import { existsSync, mkdtempSync, readFileSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { removeFolder } from './server.ts';

/**
 * The folder of the fixtures, which are committed so that tests don't need ffmpeg. A missing one is created with
 * ffmpeg, so after changing a file's arguments, delete the file.
 */
const SHIPPED = join(import.meta.dir, 'fixtures');

const read = new Map<string, Uint8Array>();

/** Returns the fixture of this name. If it is missing, ffmpeg creates it with the arguments `args`. */
function shipped(name: string, ...args: string[]): Uint8Array {
  const known = read.get(name);
  if (known !== undefined) return known;
  const path = join(SHIPPED, name);
  if (!existsSync(path)) make(path, args);
  const bytes = new Uint8Array(readFileSync(path));
  read.set(name, bytes);
  return bytes;
}

/** Makes a draft and renames it, so that other test processes see either the complete file or none. */
function make(path: string, args: readonly string[]): void {
  const folder = mkdtempSync(join(SHIPPED, '.making-'));
  try {
    const draft = join(folder, basename(path));
    const head = ['ffmpeg', '-v', 'error', '-fflags', '+bitexact'];
    const run = Bun.spawnSync([...head, ...args, '-map_metadata', '-1', draft]);
    if (run.exitCode !== 0) throw new Error(`ffmpeg made no ${path}: ${run.stderr.toString()}`);
    renameSync(draft, path);
  } finally {
    removeFolder(folder);
  }
}

function picture(width: number, height: number): string[] {
  return ['-f', 'lavfi', '-i', `testsrc=size=${width}x${height}:rate=10`];
}

function video(seconds: number, ...codec: string[]): string[] {
  return [...picture(64, 48), '-t', String(seconds), '-pix_fmt', 'yuv420p', '-c:v', ...codec];
}

export const jpeg = () => shipped('picture.jpg', ...picture(40, 30), '-frames:v', '1', '-pix_fmt', 'yuvj420p');
export const png = () => shipped('picture.png', ...picture(32, 24), '-frames:v', '1');
export const gif = () => shipped('picture.gif', ...picture(24, 16), '-t', '0.5');
export const webp = () => shipped('picture.webp', ...picture(48, 36), '-frames:v', '1', '-c:v', 'libwebp');
export const mp4 = (seconds = 2) => shipped(`film-${seconds}s.mp4`, ...video(seconds, 'libx264'));
export const faststartMp4 = () => shipped('faststart.mp4', ...video(2, 'libx264'), '-movflags', '+faststart');
export const fragmentedMp4 = () =>
  shipped('fragmented.mp4', ...video(2, 'libx264'), '-movflags', '+frag_keyframe+empty_moov');
export const mov = (seconds = 3) => shipped(`film-${seconds}s.mov`, ...video(seconds, 'libx264'));
export const audioOnlyMp4 = () => shipped('audio-only.mp4', '-f', 'lavfi', '-i', 'sine=duration=1', '-c:a', 'aac');
export const m4a = () => shipped('audio.m4a', '-f', 'lavfi', '-i', 'sine=duration=1', '-c:a', 'aac');
export const webm = () => shipped('film.webm', ...video(1, 'libvpx'));
export const bmp = () => shipped('picture.bmp', ...picture(16, 16), '-frames:v', '1');
export const tiff = () => shipped('picture.tiff', ...picture(16, 16), '-frames:v', '1');

/** An MP4 whose brands are unusual. A check of only `ftyp` would mistake it for a HEIC or AVIF file. */
export function branded(brand: 'heic' | 'avif' | 'mif1' | '3gp5'): Uint8Array {
  const bytes = mp4().slice();
  const size = new DataView(bytes.buffer).getUint32(0);
  for (let offset = 8; offset < size; offset += 4) {
    if (offset !== 12) bytes.set(Buffer.from(brand, 'latin1'), offset);
  }
  return bytes;
}

/** A JPEG with an EXIF block that contains only the orientation (EXIF 2.32 §4.6.4: 1–8). */
export function orientedJpeg(orientation: number): Uint8Array {
  const tiffHeader = Buffer.from('49492a0008000000', 'hex');
  const directory = Buffer.from('0100120103000100000000000000000000000000', 'hex').subarray(0, 18);
  directory.writeUInt16LE(orientation, 10);
  const content = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiffHeader, directory]);
  const segment = Buffer.alloc(4);
  segment.writeUInt16BE(0xffe1, 0);
  segment.writeUInt16BE(content.length + 2, 2);
  const plain = jpeg();
  return Buffer.concat([plain.subarray(0, 2), segment, content, plain.subarray(2)]);
}

/** An MP4 whose track header rotates the video by 90 degrees (ISO/IEC 14496-12 §8.3.2: matrix in 16.16 and 2.30). */
export function rotatedMp4(): Uint8Array {
  const bytes = Buffer.from(mp4());
  const header = bytes.indexOf('tkhd');
  const matrix = header + 4 + 40;
  const turned = [0, 0x00010000, 0, -0x00010000, 0, 0, 48 * 0x10000, 0, 0x40000000];
  for (const [index, value] of turned.entries()) bytes.writeInt32BE(value, matrix + index * 4);
  return bytes;
}

/** A video with a complete header, whose media data is replaced by zeros and can't be decoded. */
export function undecodableMp4(): Uint8Array {
  const bytes = Buffer.from(faststartMp4());
  bytes.fill(0, bytes.indexOf('mdat') + 4);
  return bytes;
}

/** A video that ends before its header (`moov`), like one that an interrupted camera has left. */
export function headlessMp4(): Uint8Array {
  const bytes = Buffer.from(mp4());
  return bytes.subarray(0, bytes.indexOf('moov') - 4);
}

/** The pieces of a valid MP4 of any size: `head`, then `zeros` zero bytes, then `tail` with the movie header. */
export interface BigMovie {
  readonly head: Uint8Array;
  readonly zeros: number;
  readonly tail: Uint8Array;
}

export function bigMp4(size: number): BigMovie {
  const bytes = Buffer.from(mp4());
  const cut = bytes.indexOf('moov') - 4;
  const zeros = size - bytes.length - 8;
  const free = Buffer.alloc(8);
  free.writeUInt32BE(zeros + 8, 0);
  free.write('free', 4, 'latin1');
  return { head: Buffer.concat([bytes.subarray(0, cut), free]), zeros, tail: bytes.subarray(cut) };
}
