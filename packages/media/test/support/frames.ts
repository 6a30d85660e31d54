import { webpChunk } from '@postshelf/testing/fixtures';
import { quadrants } from './quadrants.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Place extends Size {
  readonly left: number;
  readonly top: number;
}

const uint16 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, 2 * index);
  return bytes;
};

/** Red, green, blue, white, as in {@link quadrants}. */
const PALETTE = Buffer.from([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]);
const COLOR_TABLE_OF_4 = 0x81;

interface GifOptions {
  readonly version?: '87a' | '89a';
  readonly hasTable?: boolean;
}

/** Returns the beginning of a GIF: the signature, the logical screen and a table of four colours. */
export const gifStart = ({ width, height }: Size, { version = '89a', hasTable = true }: GifOptions = {}): Buffer =>
  Buffer.concat([
    Buffer.from(`GIF${version}`),
    uint16(width, height),
    Buffer.from([hasTable ? COLOR_TABLE_OF_4 : 0, 0, 0]),
    hasTable ? PALETTE : Buffer.alloc(0),
  ]);

export const GIF_END = Buffer.from([0x3b]);
/** The block before a frame, which declares its delay and disposal. */
export const GRAPHIC_CONTROL = Buffer.from('21f9040000000000', 'hex');

/** Returns a frame of four quadrants, in codes of three bits that never grow longer. */
export function gifFrame({ left, top, width, height }: Place): Buffer {
  const [CLEAR, END, CODE_BITS] = [4, 5, 3];
  const codes: number[] = [];
  for (let at = 0; at < width * height; at += 1) {
    // Clearing the table this often keeps it below eight codes, so that all codes have three bits.
    if (at % 2 === 0) codes.push(CLEAR);
    codes.push((at % width < width / 2 ? 0 : 1) + (Math.floor(at / width) < height / 2 ? 0 : 2));
  }
  codes.push(END);
  const data = Buffer.alloc(Math.ceil((codes.length * CODE_BITS) / 8));
  for (const [index, code] of codes.entries()) {
    for (let bit = 0; bit < CODE_BITS; bit += 1) {
      const at = index * CODE_BITS + bit;
      data[at >> 3] = (data[at >> 3] ?? 0) | (((code >> bit) & 1) << (at & 7));
    }
  }
  const blocks: Buffer[] = [];
  for (let at = 0; at < data.length; at += 255) {
    const block = data.subarray(at, at + 255);
    blocks.push(Buffer.from([block.length]), block);
  }
  const head = Buffer.concat([Buffer.from([0x2c]), uint16(left, top, width, height), Buffer.from([0, 2])]);
  return Buffer.concat([head, ...blocks, Buffer.from([0])]);
}

export const gifOf = (screen: Size, frame: Place, options?: GifOptions): Buffer =>
  Buffer.concat([gifStart(screen, options), gifFrame(frame), GIF_END]);

const uint24 = (value: number): Buffer => {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntLE(value, 0, 3);
  return bytes;
};

/** The flag of an animation (RFC 9649, section 2.7). */
const ANIMATED = 0x02;

export const webpHeader = ({ width, height }: Size, flags: number): Uint8Array =>
  webpChunk('VP8X', Buffer.concat([Buffer.from([flags, 0, 0, 0]), uint24(width - 1), uint24(height - 1)]));

export const webpOf = (...chunks: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  const header = Buffer.from('RIFF\0\0\0\0');
  header.writeUInt32LE(body.length, 4);
  return Buffer.concat([header, body]);
};

export const ANIMATION = webpChunk('ANIM', Buffer.alloc(6));

export function webpFrame({ left, top, width, height }: Place, picture: Uint8Array): Uint8Array {
  const place = [left / 2, top / 2, width - 1, height - 1, 100].map(uint24);
  return webpChunk('ANMF', Buffer.concat([...place, Buffer.from([0]), picture]));
}

/** Returns the chunk of a lossless WebP of four quadrants. */
export const webpPicture = async (size: Size): Promise<Uint8Array> =>
  (await new Bun.Image(quadrants(size)).webp({ lossless: true }).bytes()).subarray(12);

/** Returns an animation with a single frame. */
export const animatedWebp = async (canvas: Size, place: Place): Promise<Buffer> =>
  webpOf(webpHeader(canvas, ANIMATED), ANIMATION, webpFrame(place, await webpPicture(place)));
