// This file does the work of the confined child process.
import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import {
  CANNOT_LOAD,
  CANNOT_READ,
  CANNOT_WRITE,
  descriptorOf,
  type Order,
  type PreviewsOrder,
  READY,
  type StillOrder,
  writeBlocks,
  YES,
} from '../child/protocol.ts';
import { isImageType } from '../inspect/image.ts';
import { pixelsDecode } from '../inspect/pixels-decode.ts';
import { CannotLoad } from './cannot-load.ts';
import { readPixels, writePixels } from './canvas.ts';
import { openImage, setUpright, shrink, uprightSize } from './image.ts';
import { MAX_STILL_PIXELS } from './max-pixels.ts';
import { plainPng } from './png.ts';
import { makeFiles } from './previews.ts';
import { convertToSrgb } from './to-srgb.ts';

/**
 * Writes a block for each image to standard output.
 *
 * @param orders a list of {@link Order} in JSON
 * @returns the exit code
 */
export async function decode(orders: string): Promise<number> {
  const wanted: readonly Order[] = JSON.parse(orders);
  preferToBeKilled();
  await Bun.write(Bun.stdout, READY);
  for (const [index, order] of wanted.entries()) {
    let bytes: Uint8Array;
    try {
      bytes = readFileSync(descriptorOf(index));
    } catch {
      return CANNOT_READ;
    }
    // All errors other than CannotLoad are the image's fault, because nothing but the image is read.
    const made = await carryOut(bytes, order).catch((error: unknown) => (error instanceof CannotLoad ? error : null));
    if (made instanceof CannotLoad) return CANNOT_LOAD;
    let block = made ?? new Uint8Array();
    if (makesFile(order) && block.length > 0) {
      if (!isWritten(block, descriptorOf(wanted.length))) return CANNOT_WRITE;
      block = Uint8Array.of(YES);
    }
    await Bun.write(Bun.stdout, writeBlocks([block]));
    // Memory left over from one image counts towards the limit for the next.
    Bun.gc(true);
  }
  return 0;
}

const makesFile = ({ task }: Order): boolean => task === 'still' || task === 'convert';

async function carryOut(bytes: Uint8Array, order: Order): Promise<Uint8Array | null> {
  if (order.task === 'still') return makeStill(bytes, order);
  if (order.task === 'previews') return makePreviews(bytes, order);
  if (order.task === 'pixels')
    return Uint8Array.of(isImageType(order.type) && pixelsDecode(order.type, bytes) ? YES : 0);
  // The module is loaded with the first order of this kind, because most images don't need it.
  const { convertImage } = await import('./conversion/convert.ts');
  return convertImage(bytes, order);
}

async function makePreviews(bytes: Uint8Array, order: PreviewsOrder): Promise<Uint8Array | null> {
  const files = await makeFiles(bytes, order);
  return files && writeBlocks(files);
}

/**
 * Writes a file, and returns whether that succeeded. Writes at explicit positions, because the parent shares the
 * descriptor's offset, which must stay at the beginning.
 */
function isWritten(file: Uint8Array, descriptor: number): boolean {
  try {
    for (let at = 0; at < file.length; ) at += writeSync(descriptor, file, at, file.length - at, at);
    return true;
  } catch {
    return false;
  }
}

/** Makes the kernel kill this process rather than the server if memory runs out (proc_pid_oom_score_adj(5)). */
function preferToBeKilled(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // The system isn't Linux, or doesn't allow this. The memory limit still protects the server.
  }
}

/**
 * Makes a PNG of the image as previews show it: its first frame, upright and in sRGB, without metadata. The PNG is
 * scaled down to at most twice the width and height that cover the canvas, which leaves enough detail for the final
 * scaling.
 *
 * @returns null for an image of another type
 */
async function makeStill(bytes: Uint8Array, { type, canvas }: StillOrder): Promise<Uint8Array | null> {
  const image = await openImage(bytes, type);
  if (image === null) return null;
  const { width, height } = uprightSize(image);
  const enough = 2 * Math.max(canvas.width / width, canvas.height / height);
  const scale = Math.min(1, enough, Math.sqrt(MAX_STILL_PIXELS / width / height));
  const size = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
  const { orientation } = image;
  const decoded = await shrink(image, size);
  const upright =
    orientation === 1
      ? decoded
      : await setUpright(new Bun.Image(decoded), orientation).png({ compressionLevel: 1 }).bytes();
  if (!Buffer.from(upright.buffer, upright.byteOffset, upright.length).includes('iCCP')) return plainPng(upright, []);
  const pixels = readPixels(upright);
  convertToSrgb(pixels);
  return writePixels({ ...pixels, profile: null });
}
