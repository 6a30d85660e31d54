import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './server.ts';

const made = new Map<string, Uint8Array>();

/** Per user: another's files could not be replaced, and should not be trusted. Those of packages/testing lie there too. */
const CACHE = join(process.env.POSTSHELF_TEST_FIXTURES ?? tmpdir(), `postshelf-fixtures-${userInfo().uid}`);

/** Runs ffmpeg once for each distinct file and keeps the bytes; `extension` picks the container. */
function make(extension: string, ...args: string[]): Uint8Array {
  const key = [extension, ...args].join(' ');
  const known = made.get(key);
  if (known !== undefined) return known;
  const hash = new Bun.CryptoHasher('sha256').update(key).digest('hex').slice(0, 12);
  const path = join(CACHE, `acceptance-${hash}.${extension}`);
  if (!existsSync(path)) runFfmpeg(extension, args, path);
  const bytes = new Uint8Array(readFileSync(path));
  made.set(key, bytes);
  return bytes;
}

/** Made beside and then renamed: of several test processes each sees the whole file or none. */
function runFfmpeg(extension: string, args: readonly string[], path: string): void {
  mkdirSync(CACHE, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(CACHE, 'making-'));
  try {
    const draft = join(folder, `fixture.${extension}`);
    const head = ['ffmpeg', '-v', 'error', '-fflags', '+bitexact'];
    const run = Bun.spawnSync([...head, ...args, '-map_metadata', '-1', draft]);
    if (run.exitCode !== 0) throw new Error(`ffmpeg made no ${extension}: ${run.stderr.toString()}`);
    renameSync(draft, path);
  } finally {
    removeFolder(folder);
  }
}

function picture(width: number, height: number): string[] {
  return ['-f', 'lavfi', '-i', `testsrc=size=${width}x${height}:rate=10`];
}

function film(seconds: number, ...codec: string[]): string[] {
  return [...picture(64, 48), '-t', String(seconds), '-pix_fmt', 'yuv420p', '-c:v', ...codec];
}

export const jpeg = () => make('jpg', ...picture(40, 30), '-frames:v', '1', '-pix_fmt', 'yuvj420p');
export const png = () => make('png', ...picture(32, 24), '-frames:v', '1');
export const gif = () => make('gif', ...picture(24, 16), '-t', '0.5');
export const webp = () => make('webp', ...picture(48, 36), '-frames:v', '1', '-c:v', 'libwebp');
export const mp4 = (seconds = 2) => make('mp4', ...film(seconds, 'libx264'));
export const faststartMp4 = () => make('mp4', ...film(2, 'libx264'), '-movflags', '+faststart');
export const fragmentedMp4 = () => make('mp4', ...film(2, 'libx264'), '-movflags', '+frag_keyframe+empty_moov');
export const mov = (seconds = 3) => make('mov', ...film(seconds, 'libx264'));
export const audioOnlyMp4 = () => make('mp4', '-f', 'lavfi', '-i', 'sine=duration=1', '-c:a', 'aac');
export const m4a = () => make('m4a', '-f', 'lavfi', '-i', 'sine=duration=1', '-c:a', 'aac');
export const webm = () => make('webm', ...film(1, 'libvpx'));
export const bmp = () => make('bmp', ...picture(16, 16), '-frames:v', '1');
export const tiff = () => make('tiff', ...picture(16, 16), '-frames:v', '1');

/** The same movie under another major brand: what HEIC and AVIF files look like to whoever reads `ftyp` alone. */
export function branded(brand: 'heic' | 'avif' | 'mif1'): Uint8Array {
  const bytes = mp4().slice();
  const size = new DataView(bytes.buffer).getUint32(0);
  for (let offset = 8; offset < size; offset += 4) {
    if (offset !== 12) bytes.set(Buffer.from(brand, 'latin1'), offset);
  }
  return bytes;
}

/** A JPEG with an EXIF block that holds nothing but the orientation (EXIF 2.32 §4.6.4: 1–8). */
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

/** An MP4 whose track header turns the picture by 90 degrees (ISO/IEC 14496-12 §8.3.2: matrix in 16.16 and 2.30). */
export function rotatedMp4(): Uint8Array {
  const bytes = Buffer.from(mp4());
  const header = bytes.indexOf('tkhd');
  const matrix = header + 4 + 40;
  const turned = [0, 0x00010000, 0, -0x00010000, 0, 0, 48 * 0x10000, 0, 0x40000000];
  for (const [index, value] of turned.entries()) bytes.writeInt32BE(value, matrix + index * 4);
  return bytes;
}

/** A movie whose header is whole, while its pictures are zeros that no decoder reads. */
export function undecodableMp4(): Uint8Array {
  const bytes = Buffer.from(faststartMp4());
  bytes.fill(0, bytes.indexOf('mdat') + 4);
  return bytes;
}

/** A movie cut off before its header (`moov`), as an interrupted camera leaves it. */
export function headlessMp4(): Uint8Array {
  const bytes = Buffer.from(mp4());
  return bytes.subarray(0, bytes.indexOf('moov') - 4);
}

/** The pieces of a valid MP4 of any size: `head`, then `zeros` zero bytes, then `tail`, its movie header at the very end. */
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
