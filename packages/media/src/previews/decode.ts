// The work of the confined child process.
import { readFileSync, writeFileSync } from 'node:fs';
import type { MediaType, PreviewSize } from '@postshelf/domain';
import { firstFrame } from './plain-webp.ts';
import { CANNOT_READ, type DecodeOrder, descriptorOf, READY, writeBlocks } from './protocol.ts';

/** Of a JPEG few are in memory at once, of the other formats all, at four bytes each. */
const MAX_PIXELS = { jpeg: 268_402_689, other: 100_000_000 } as const;

/** The loss at the first can't be seen on a page of tiles; the others are for tiles that would be too large. */
const QUALITIES = [70, 55, 40, 25, 10, 1] as const;

/** Sixty tiles on a page are 1.5 MB at most, even of leaves or gravel. */
const TILE = { maxWidth: 320, maxBytes: 25_000 } as const;

/**
 * Writes a block for each picture to standard output: its previews, or nothing if it can't be decoded.
 *
 * @param orders a list of {@link DecodeOrder} in JSON
 * @returns the exit code
 */
export async function decode(orders: string): Promise<number> {
  const wanted: readonly DecodeOrder[] = JSON.parse(orders);
  preferToBeKilled();
  await Bun.write(Bun.stdout, READY);
  for (const [index, order] of wanted.entries()) {
    let bytes: Uint8Array;
    try {
      bytes = readFileSync(descriptorOf(index));
    } catch {
      return CANNOT_READ;
    }
    // The picture is to blame for every error here, as nothing else is read.
    const made = await makeFiles(bytes, order).catch(() => null);
    await Bun.write(Bun.stdout, writeBlocks([made === null ? new Uint8Array() : writeBlocks(made)]));
    // What is left of one picture counts towards the limit on memory for the next.
    Bun.gc(true);
  }
  return 0;
}

/** If the machine runs out of memory, this process is killed rather than the server (proc_pid_oom_score_adj(5)). */
function preferToBeKilled(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Not Linux, or not allowed; the limit on memory protects the server nevertheless.
  }
}

/** The placeholder, then each size; null for a picture that doesn't match the order. */
export async function makeFiles(bytes: Uint8Array, order: DecodeOrder): Promise<readonly Uint8Array[] | null> {
  const { type, sizes } = order;
  const largest = sizes.reduce((a, b) => (b.width > a.width ? b : a));
  const base = await shrink(bytes, order, largest);
  if (base === null) return null;
  // The whole picture is decoded once, to the largest size; the other sizes are made from that.
  const orientation = await orientationOf(type, bytes);
  const files: Uint8Array[] = [];
  for (const { width, height } of sizes) {
    const picture = setUpright(new Bun.Image(base), orientation).resize(width, height);
    files.push(await encode(picture, width));
  }
  const [smallest] = [...files].sort((a, b) => a.length - b.length);
  if (smallest === undefined) return null;
  const placeholder = await new Bun.Image(smallest).placeholder();
  return [new TextEncoder().encode(placeholder), ...files];
}

async function encode(picture: Bun.Image, width: number): Promise<Uint8Array> {
  let file: Uint8Array = new Uint8Array();
  for (const quality of QUALITIES) {
    file = await picture.webp({ quality }).bytes();
    if (width > TILE.maxWidth || file.length <= TILE.maxBytes) break;
  }
  return file;
}

/** The bytes before an EXIF block, by format. */
const BLOCK: Partial<Record<MediaType, string>> = { 'image/png': 'eXIf', 'image/webp': 'EXIF' };

/** Formats that Bun itself turns upright, and those without an orientation. */
const BY_BUN: readonly MediaType[] = ['image/jpeg', 'image/gif'];

async function shrink(file: Uint8Array, order: DecodeOrder, size: PreviewSize): Promise<Uint8Array | null> {
  const { type, width, height } = order;
  const bytes = type === 'image/webp' ? firstFrame(file) : file;
  const maxPixels = type === 'image/jpeg' ? MAX_PIXELS.jpeg : MAX_PIXELS.other;
  const options = { maxPixels, autoOrient: BY_BUN.includes(type) };
  const found = await new Bun.Image(bytes, options).metadata();
  if (`image/${found.format}` !== type) return null;
  const isSame = found.width === width && found.height === height;
  const isTurned = found.width === height && found.height === width;
  if (!isSame && (!isTurned || options.autoOrient)) return null;
  const [across, down] = isSame ? [size.width, size.height] : [size.height, size.width];
  return new Bun.Image(bytes, options).resize(across, down).png({ compressionLevel: 1 }).bytes();
}

/** The one that is still to be applied. Few pictures have one, and for all others no further code is loaded. */
async function orientationOf(type: MediaType, bytes: Uint8Array): Promise<number> {
  const block = BLOCK[type];
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (block === undefined || !file.includes(block)) return 1;
  const { readOrientation } = await import('../inspect/image.ts');
  const read = async (from: number, length: number): Promise<Uint8Array> => bytes.subarray(from, from + length);
  return readOrientation(type, { size: bytes.length, read });
}

/** EXIF 2.32, tag 0x0112. Bun mirrors after turning, in whatever order the two are called. */
function setUpright(picture: Bun.Image, orientation: number): Bun.Image {
  switch (orientation) {
    case 2:
      return picture.flop();
    case 3:
      return picture.rotate(180);
    case 4:
      return picture.flip();
    case 5:
      return picture.rotate(90).flop();
    case 6:
      return picture.rotate(90);
    case 7:
      return picture.rotate(270).flop();
    case 8:
      return picture.rotate(270);
    default:
      return picture;
  }
}
