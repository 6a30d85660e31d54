import { deflateSync, inflateSync } from 'node:zlib';
import { pngChunk } from './pictures.ts';

type Colour = readonly [red: number, green: number, blue: number];

const COLOURS: Readonly<Record<string, Colour>> = {
  r: [255, 0, 0],
  g: [0, 255, 0],
  b: [0, 0, 255],
  w: [255, 255, 255],
};

/** The dimensions of the picture with four quadrants. */
export const QUADRANTS = { width: 240, height: 120 };

/** Returns a PNG with a colour in each quadrant: red and green above, blue and white below. */
export function quadrants({ width, height } = QUADRANTS): Uint8Array {
  const row = (left: string, right: string): Buffer =>
    Buffer.from([0, ...Array.from({ length: width }, (_, x) => COLOURS[x < width / 2 ? left : right] ?? []).flat()]);
  const rows = [row('r', 'g'), row('b', 'w')].flatMap((line) => Array.from({ length: height / 2 }, () => line));
  return pngOf(width, height, rows);
}

/**
 * Returns a PNG of squares of 2 x 2 pixels in colours that look random but are the same on every run. Scaled to half
 * its size, the picture compresses worse than any other, because each pixel has a random colour.
 */
export function noise({ width, height }: { readonly width: number; readonly height: number }): Uint8Array {
  let state = 1;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  };
  const rows = Array.from({ length: height / 2 }, () => {
    const colours = Array.from({ length: width / 2 }, () => [next(), next(), next()]);
    return Buffer.from([0, ...colours.flatMap((colour) => [...colour, ...colour])]);
  });
  return pngOf(
    width,
    height,
    rows.flatMap((row) => [row, row]),
  );
}

/**
 * Returns a PNG with these rows.
 *
 * @param rows the bytes of each row: its filter, and red, green and blue of each pixel
 */
function pngOf(width: number, height: number, rows: readonly Uint8Array[]): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const chunks = [
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.concat(rows))),
    pngChunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks]);
}

/** Returns a letter for the colour of each quadrant, row by row: `rgbw` for a picture of {@link quadrants}. */
export async function lettersOf(picture: Uint8Array): Promise<string> {
  const { width, height } = await new Bun.Image(picture).metadata();
  // This leaves one pixel for each quadrant.
  const png = await new Bun.Image(picture).resize(2, 2, { filter: 'box' }).png().bytes();
  return pixelsOf(png).map(letterOf).join('') + (width === height ? '' : width > height ? ' wide' : ' tall');
}

const letterOf = (pixel: Colour): string => {
  const [[letter = ''] = []] = Object.entries(COLOURS).sort(([, a], [, b]) => distance(a, pixel) - distance(b, pixel));
  return letter;
};

const distance = (a: Colour, b: Colour): number =>
  a.reduce((sum, value, index) => sum + Math.abs(value - (b[index] ?? 0)), 0);

/** Returns the four pixels of a PNG of 2 x 2 with eight bits per channel (PNG, section 9, describes its filters). */
function pixelsOf(png: Uint8Array): Colour[] {
  const bytes = Buffer.from(png);
  const channels = bytes[25] === 6 ? 4 : 3;
  const data = bytes.indexOf('IDAT');
  const lines = inflateSync(bytes.subarray(data + 4, data + 4 + bytes.readUInt32BE(data - 4)));
  const stride = 2 * channels;
  const pixels: number[] = [];
  const at = (row: number, column: number): number =>
    row < 0 || column < 0 ? 0 : (pixels[row * stride + column] ?? 0);
  for (const row of [0, 1]) {
    const filter = lines[row * (stride + 1)] ?? 0;
    for (let column = 0; column < stride; column += 1) {
      const [left, above, corner] = [at(row, column - channels), at(row - 1, column), at(row - 1, column - channels)];
      const predicted = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter] ?? 0;
      pixels.push(((lines[row * (stride + 1) + 1 + column] ?? 0) + predicted) & 0xff);
    }
  }
  return [0, 1, 2, 3].map((index) => {
    const [red = 0, green = 0, blue = 0] = pixels.slice(index * channels);
    return [red, green, blue];
  });
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [a, b, c] = [left, above, corner].map((value) => Math.abs(guess - value)) as [number, number, number];
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}
