import { deflateSync, inflateSync } from 'node:zlib';
import { ForwardReader, PNG_SIGNATURE, pngChunks } from '@postshelf/domain/formats';
import { pngChunk } from './png.ts';

interface Place {
  readonly left: number;
  readonly top: number;
}

/** Bytes per pixel: red, green, blue and alpha. */
const PIXEL = 4;

/**
 * Pixels with red, green, blue and alpha of 8 bits each. Bun writes every PNG in this form unless a palette is
 * requested.
 */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rows: Uint8Array;
  /** The content of `iCCP`; null if there is none. */
  readonly profile: Uint8Array | null;
}

/**
 * Places a PNG on a transparent canvas and returns the canvas as a PNG. Parts outside the canvas are cut off.
 *
 * @param png written by Bun; null for an empty canvas
 */
export function onCanvas(png: Uint8Array | null, width: number, height: number, { left, top }: Place): Uint8Array {
  const rows = new Uint8Array(width * height * PIXEL);
  const pixels = png && readPixels(png);
  if (pixels) {
    const length = PIXEL * Math.min(pixels.width, width - left);
    for (let y = 0; y < Math.min(pixels.height, height - top); y += 1) {
      const from = y * pixels.width * PIXEL;
      rows.set(pixels.rows.subarray(from, from + length), ((top + y) * width + left) * PIXEL);
    }
  }
  return writePixels({ width, height, rows, profile: pixels?.profile ?? null });
}

const [RGBA, EIGHT_BITS] = [6, 8];

/**
 * Reads the pixels of a PNG.
 *
 * @throws Error if it isn't in the form that Bun writes
 */
export function readPixels(png: Uint8Array): Pixels {
  const view = new DataView(png.buffer, png.byteOffset, png.length);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  if (png[24] !== EIGHT_BITS || png[25] !== RGBA || png[28] !== 0)
    throw new Error('The PNG is not 8-bit RGBA without interlacing.');
  const reader = ForwardReader.over(png);
  reader.skip(PNG_SIGNATURE);
  const data: Uint8Array[] = [];
  let profile: Uint8Array | null = null;
  for (const chunk of pngChunks(reader)) {
    if (typeof chunk === 'number' || chunk.type === 'IEND') break;
    if (chunk.type === 'IDAT') data.push(reader.bytes(chunk.length, 8));
    if (chunk.type === 'iCCP') profile = reader.bytes(chunk.length, 8);
  }
  const stride = width * PIXEL;
  const lines = inflateSync(Buffer.concat(data), { maxOutputLength: height * (stride + 1) });
  const rows = new Uint8Array(height * stride);
  for (let y = 0; y < height; y += 1) unfilter(lines, y * (stride + 1), rows, y * stride, stride);
  return { width, height, rows, profile };
}

/** Reverses the filter of a row (PNG, section 9.2). The first byte of the filtered row is the filter's number. */
function unfilter(lines: Uint8Array, from: number, rows: Uint8Array, to: number, stride: number): void {
  const filter = lines[from];
  if (filter === 0) {
    rows.set(lines.subarray(from + 1, from + 1 + stride), to);
    return;
  }
  const above = to - stride;
  for (let x = 0; x < stride; x += 1) {
    const a = x < PIXEL ? 0 : (rows[to + x - PIXEL] ?? 0);
    const b = above < 0 ? 0 : (rows[above + x] ?? 0);
    let predicted = 0;
    if (filter === 1) predicted = a;
    else if (filter === 2) predicted = b;
    else if (filter === 3) predicted = (a + b) >> 1;
    else if (filter === 4) predicted = paeth(a, b, above < 0 || x < PIXEL ? 0 : (rows[above + x - PIXEL] ?? 0));
    rows[to + x] = (lines[from + 1 + x] ?? 0) + predicted;
  }
}

function paeth(a: number, b: number, c: number): number {
  const [fromA, fromB, fromC] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  if (fromA <= fromB && fromA <= fromC) return a;
  return fromB <= fromC ? b : c;
}

export function writePixels({ width, height, rows, profile }: Pixels): Uint8Array {
  const stride = width * PIXEL;
  const lines = new Uint8Array(height * (stride + 1));
  for (let y = 0; y < height; y += 1) lines.set(rows.subarray(y * stride, (y + 1) * stride), y * (stride + 1) + 1);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([EIGHT_BITS, RGBA, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    ...(profile ? [pngChunk('iCCP', profile)] : []),
    pngChunk('IDAT', deflateSync(lines, { level: 1 })),
    pngChunk('IEND', new Uint8Array()),
  ]);
}
