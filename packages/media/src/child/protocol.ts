import type { ConvertedType, MediaType, PreviewSize } from '@postshelf/domain';

/** An order to the child. The child's only argument is a list of orders in JSON, and it writes a block for each. */
export type Order = PreviewsOrder | PixelsOrder | StillOrder | ConvertOrder;

/** Asks for a placeholder and previews of the sizes. The block is empty if the image can't be decoded. */
export interface PreviewsOrder {
  readonly task: 'previews';
  readonly type: MediaType;
  readonly width: number;
  readonly height: number;
  readonly sizes: readonly PreviewSize[];
}

/** Asks for one byte: {@link YES} if every pixel of an image without an end marker decodes. */
interface PixelsOrder {
  readonly task: 'pixels';
  readonly type: MediaType;
}

/**
 * Asks for a still, which the child writes to the first descriptor after the input descriptors. The block is one byte:
 * {@link YES} if the image was decoded. The still is no larger than `canvas` needs.
 */
export interface StillOrder {
  readonly task: 'still';
  readonly type: MediaType;
  readonly canvas: PreviewSize;
}

/** Like {@link StillOrder}, but asks to convert an image that is in another format to JPEG or PNG. */
export interface ConvertOrder {
  readonly task: 'convert';
  readonly type: ConvertedType;
  /** The path of another build of libheif; null for the one in the program. */
  readonly libheif: string | null;
}

export const YES = 1;

/**
 * Written by the child before it reads any byte of an image. If this text is missing, the fault lies with the machine
 * rather than the image.
 */
export const READY = new TextEncoder().encode('postshelf previews 1\n');

/**
 * Returns the descriptor from which the child reads an image: standard input for the first image; descriptors from 3
 * on, which follow standard error, for the others.
 */
export const descriptorOf = (index: number): number => (index === 0 ? 0 : index + 2);

/** Exit code if an image can't be read, which is the machine's fault. */
export const CANNOT_READ = 4;

/** Exit code if a file can't be written, which is the machine's fault. */
export const CANNOT_WRITE = 5;

/** Exit code if a decoder can't be loaded. */
export const CANNOT_LOAD = 6;

/** Joins blocks, each preceded by its length in four bytes. */
export function writeBlocks(blocks: readonly Uint8Array[]): Uint8Array {
  const parts = blocks.flatMap((block) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(block.length);
    return [length, block];
  });
  return Buffer.concat(parts);
}

export function readBlocks(bytes: Uint8Array, wanted: number): readonly Uint8Array[] | null {
  const { blocks, end } = readCompleteBlocks(bytes, wanted);
  return blocks.length === wanted && end === bytes.length ? blocks : null;
}

/** Returns the complete blocks of an output that may have ended early. */
export function readCompleteBlocks(bytes: Uint8Array, max: number): { blocks: readonly Uint8Array[]; end: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const blocks: Uint8Array[] = [];
  let at = 0;
  while (blocks.length < max && at + 4 <= bytes.length) {
    const length = view.getUint32(at, true);
    if (length > bytes.length - at - 4) break;
    blocks.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return { blocks, end: at };
}

/**
 * Returns a function that reads output as it arrives, and calls `call` when a chunk completes the block of an image.
 */
export function afterEachImage(call: () => void): (chunk: Uint8Array) => void {
  let missing = READY.length;
  let head: number[] = [];
  let isImage = false;
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      const skipped = Math.min(missing, chunk.length - at);
      missing -= skipped;
      if (skipped === 0) head.push(chunk[at] ?? 0);
      at += Math.max(1, skipped);
      if (head.length < 4) continue;
      missing = Buffer.from(head).readUInt32LE();
      [head, isImage] = [[], true];
    }
    if (isImage && missing === 0 && head.length === 0) call();
  };
}
