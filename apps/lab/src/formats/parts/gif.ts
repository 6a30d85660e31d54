import { type Colour, quarterAt, type Size } from './quarters.ts';

export interface GifFrame extends Size {
  readonly left: number;
  readonly top: number;
  /** Its own colours, four of them. */
  readonly palette?: readonly Colour[];
  readonly isInterlaced?: boolean;
  /** The quarter that is transparent. */
  readonly transparent?: 0 | 1 | 2 | 3;
  readonly disposal?: 0 | 1 | 2 | 3;
  /** Hundredths of a second; without it the frame has no graphic control. */
  readonly delay?: number;
  /** The bits of the smallest code, 2 to 8. Default 2, enough for four colours. */
  readonly codeSize?: number;
}

export interface GifScreen extends Size {
  readonly version: '87a' | '89a';
  /** Four colours for all frames that have none of their own. */
  readonly palette?: readonly Colour[];
  readonly background?: number;
}

/** The flags for a table of four colours (GIF89a, sections 18 and 20). */
const FOUR_COLOURS = 0x81;
const INTERLACED = 0x40;

export const GIF_TRAILER = Buffer.from([0x3b]);

export function gifScreen({ version, width, height, palette, background = 0 }: GifScreen): Uint8Array {
  const screen = Buffer.alloc(13);
  screen.write(`GIF${version}`, 'latin1');
  screen.writeUInt16LE(width, 6);
  screen.writeUInt16LE(height, 8);
  screen.set([palette ? FOUR_COLOURS | 0x70 : 0x70, background, 0], 10);
  return Buffer.concat([screen, tableOf(palette)]);
}

const tableOf = (palette: readonly Colour[] = []): Uint8Array => Uint8Array.from(palette.flat());

/** A graphic control where one is needed, the image's header, its colours and its data. */
export function gifFrame(frame: GifFrame): Uint8Array {
  const { left, top, width, height, palette, isInterlaced = false, codeSize = 2 } = frame;
  const header = Buffer.alloc(10);
  header[0] = 0x2c;
  for (const [index, value] of [left, top, width, height].entries()) header.writeUInt16LE(value, 1 + 2 * index);
  header[9] = (palette ? FOUR_COLOURS : 0) | (isInterlaced ? INTERLACED : 0);
  return Buffer.concat([
    ...graphicControl(frame),
    header,
    tableOf(palette),
    Buffer.from([codeSize]),
    subBlocks(pack(indicesOf(frame, isInterlaced), codeSize)),
  ]);
}

function graphicControl({ transparent, disposal = 0, delay }: GifFrame): readonly Uint8Array[] {
  if (transparent === undefined && delay === undefined && disposal === 0) return [];
  const flags = (disposal << 2) | (transparent === undefined ? 0 : 1);
  const control = Buffer.from([0x21, 0xf9, 4, flags, 0, 0, transparent ?? 0, 0]);
  control.writeUInt16LE(delay ?? 0, 4);
  return [control];
}

/** The number of the quarter is the index of its colour. */
function indicesOf(size: Size, isInterlaced: boolean): readonly number[] {
  const rows = Array.from({ length: size.height }, (_, y) => y);
  const ordered = isInterlaced
    ? [
        ...rows.filter((y) => y % 8 === 0),
        ...rows.filter((y) => y % 8 === 4),
        ...rows.filter((y) => y % 4 === 2),
        ...rows.filter((y) => y % 2 === 1),
      ]
    : rows;
  return ordered.flatMap((y) => Array.from({ length: size.width }, (_, x) => quarterAt(x, y, size)));
}

/** LZW without its dictionary: a clear code before codes would grow longer (GIF89a, appendix F). */
function pack(indices: readonly number[], codeSize: number): Uint8Array {
  const clear = 1 << codeSize;
  const between = clear - 2;
  const codes = indices.flatMap((index, at) => (at % between === 0 ? [clear, index] : [index]));
  const bytes = Buffer.alloc(Math.ceil(((codes.length + 1) * (codeSize + 1)) / 8));
  for (const [number, code] of [...codes, clear + 1].entries()) {
    for (let bit = 0; bit <= codeSize; bit += 1) {
      const at = number * (codeSize + 1) + bit;
      if ((code >> bit) & 1) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (1 << (at & 7));
    }
  }
  return bytes;
}

/** Of at most 255 bytes each, and an empty one (section 15). */
export function subBlocks(bytes: Uint8Array): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.subarray(at, at + 255);
    blocks.push(Buffer.from([block.length]), block);
  }
  return Buffer.concat([...blocks, Buffer.from([0])]);
}
