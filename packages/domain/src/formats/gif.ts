import type { ForwardReader } from './forward-reader.ts';
import type { Walk } from './walk.ts';

/** Length of the header with the logical screen descriptor (GIF89a, sections 17 and 18). */
export const GIF_HEADER = 13;
const HAS_COLOR_TABLE = 0x80;
const COLOR_TABLE_SIZE = 0x07;

/** Introducers of blocks (GIF89a, appendix A). */
const [EXTENSION, IMAGE, TRAILER, FILLING] = [0x21, 0x2c, 0x3b, 0];

/**
 * Length of introducer, position, size and flags. They are followed by the colour table, if there is one, and by one
 * byte with the code size of the data.
 */
export const IMAGE_DESCRIPTOR = 10;
/** Length of introducer, label, and the first two bytes after them. */
const EXTENSION_BEGINNING = 4;

/** A frame's position and size in pixels. */
export interface GifFrame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export type GifBlock =
  | { readonly kind: 'trailer' | 'other' }
  | { readonly kind: 'image'; readonly frame: GifFrame }
  | {
      readonly kind: 'extension';
      readonly label: number;
      /** The offset of the extension's sub-blocks, and the offset after them. */
      readonly start: number;
      readonly end: number;
      /** The first byte of the extension's data; 0 if there is none. */
      readonly first: number;
    };

/**
 * Iterates the blocks up to the trailer or the first byte that doesn't start a block. An image is yielded at its
 * descriptor, an extension after it has been passed. Zeros between blocks are skipped, as all decoders do.
 */
export function* gifBlocks(reader: ForwardReader): Walk<GifBlock> {
  for (let passed = 0; ; passed += 1) {
    if (!reader.has(1)) yield 1;
    const introducer = reader.byte();
    if (introducer === FILLING && passed > 0) {
      reader.skip(1);
    } else if (introducer === IMAGE) {
      if (!reader.has(IMAGE_DESCRIPTOR)) yield IMAGE_DESCRIPTOR;
      const start = IMAGE_DESCRIPTOR + colorTableLength(reader.byte(IMAGE_DESCRIPTOR - 1)) + 1;
      const data = reader.position + start;
      yield { kind: 'image', frame: readFrame(reader) };
      reader.skipTo(data);
      yield* skipSubBlocks(reader);
    } else if (introducer === EXTENSION) {
      if (!reader.has(EXTENSION_BEGINNING)) yield EXTENSION_BEGINNING;
      const [label, first] = [reader.byte(1), reader.byte(2) > 0 ? reader.byte(3) : 0];
      reader.skip(2);
      const start = reader.position;
      yield* skipSubBlocks(reader);
      yield { kind: 'extension', label, first, start, end: reader.position };
    } else {
      yield { kind: introducer === TRAILER ? 'trailer' : 'other' };
      return;
    }
  }
}

const readFrame = (reader: ForwardReader): GifFrame => ({
  left: reader.uint16(1, true),
  top: reader.uint16(3, true),
  width: reader.uint16(5, true),
  height: reader.uint16(7, true),
});

type GifSize = Pick<GifFrame, 'width' | 'height'>;

/** Returns the size of the logical screen. The header must be buffered. */
export const gifScreen = (reader: ForwardReader): GifSize => ({
  width: reader.uint16(6, true),
  height: reader.uint16(8, true),
});

/** Returns the canvas as Chromium and libvips compute it: the logical screen, enlarged to contain the first frame. */
export const gifCanvas = (screen: GifSize, first: GifFrame): GifSize => ({
  width: Math.max(screen.width, first.left + first.width),
  height: Math.max(screen.height, first.top + first.height),
});

export const colorTableLength = (flags: number): number =>
  flags & HAS_COLOR_TABLE ? 3 * (2 << (flags & COLOR_TABLE_SIZE)) : 0;

/** Skips sub-blocks up to the last, which has the length 0 (GIF89a, sections 15 and 16). */
function* skipSubBlocks(reader: ForwardReader): Walk<never> {
  for (;;) {
    if (!reader.has(1)) yield 1;
    const bytes = reader.ahead();
    for (let at = 0; at < bytes.length; ) {
      const length = bytes[at] ?? 0;
      at += 1 + length;
      if (length > 0 && at < bytes.length) continue;
      reader.skip(at);
      if (length === 0) return;
      break;
    }
  }
}
