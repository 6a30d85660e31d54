import type { MediaType, PreviewSize } from '@postshelf/domain';

/** The order to the child, which it gets as its only argument, in JSON; the picture is its standard input. */
export interface DecodeOrder {
  readonly type: MediaType;
  /** Pixels, as displayed. */
  readonly width: number;
  readonly height: number;
  readonly sizes: readonly PreviewSize[];
}

/**
 * The first output of the child, written before it reads any byte of the picture. If a child ends without it, the
 * machine is to blame rather than the picture.
 */
export const READY = new TextEncoder().encode('postshelf previews 1\n');

/** The exit code if the picture can't be decoded. */
export const CANNOT_DECODE = 3;

/** The exit code if the picture can't be read, for which the machine is to blame. */
export const CANNOT_READ = 4;

/** The output after {@link READY}: the placeholder, then each size; each with its length in four bytes before it. */
export function writeBlocks(blocks: readonly Uint8Array[]): Uint8Array {
  const parts = blocks.flatMap((block) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(block.length);
    return [length, block];
  });
  return Buffer.concat(parts);
}

/** Parses exactly as many blocks as wanted; null for any other bytes. */
export function readBlocks(bytes: Uint8Array, wanted: number): readonly Uint8Array[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const blocks: Uint8Array[] = [];
  let at = 0;
  while (blocks.length < wanted) {
    if (at + 4 > bytes.length) return null;
    const length = view.getUint32(at, true);
    at += 4;
    if (length > bytes.length - at) return null;
    blocks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return at === bytes.length ? blocks : null;
}
