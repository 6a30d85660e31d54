import type { MediaType, PreviewSize } from '@postshelf/domain';

/** What the child is to make, as its one argument, in JSON; the picture is its standard input. */
export interface DecodeOrder {
  readonly type: MediaType;
  /** Pixels, as displayed. */
  readonly width: number;
  readonly height: number;
  readonly sizes: readonly PreviewSize[];
}

/**
 * What the child writes first, before it looks at any byte of the picture. One that ends earlier isn't the picture's fault:
 * the machine lets nobody decode.
 */
export const READY = new TextEncoder().encode('postshelf previews 1\n');

/** The exit code where the picture can't be decoded. */
export const CANNOT_DECODE = 3;

/** The exit code where the picture can't be read, which is the machine's fault. */
export const CANNOT_READ = 4;

/** Blocks behind {@link READY}: the placeholder, then each size; the length of each in four bytes before it. */
export function writeBlocks(blocks: readonly Uint8Array[]): Uint8Array {
  const parts = blocks.flatMap((block) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(block.length);
    return [length, block];
  });
  return Buffer.concat(parts);
}

/** As many blocks as are wanted, and nothing behind them; null for any other bytes. */
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
