/**
 * The boxes that contain boxes, with the number of bytes before the first inner box (ISO/IEC 14496-12, sections 4.2 and
 * 8).
 */
const PARENTS: Readonly<Record<string, number>> = {
  moov: 0,
  trak: 0,
  mdia: 0,
  minf: 0,
  stbl: 0,
  edts: 0,
  mvex: 0,
  moof: 0,
  traf: 0,
  dinf: 0,
};

export interface Box {
  type: string;
  /** The position of the box in the file that was read; null for a new box. */
  readonly from: number | null;
  /** The length of the box's header in the file that was read, in bytes. */
  readonly header: number;
  /** null if the box contains boxes. */
  content: Buffer | null;
  children: Box[];
  /** How the length is written if not in 32 bits: in 64 bits, or not at all, which is allowed only for the last box. */
  form?: 'long' | 'to the end';
}

export const box = (type: string, content: Uint8Array): Box => ({
  type,
  from: null,
  header: 8,
  content: Buffer.from(content),
  children: [],
});

export const parent = (type: string, ...children: readonly Box[]): Box => ({
  type,
  from: null,
  header: 8,
  content: null,
  children: [...children],
});

/** Returns big-endian 32-bit numbers. */
export function uint32s(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [index, number] of numbers.entries()) bytes.writeUInt32BE(number >>> 0, 4 * index);
  return bytes;
}

/** An MP4 or QuickTime file whose boxes can be changed. Sample offsets are corrected when the file is written. */
export class Movie {
  boxes: Box[];

  constructor(bytes: Uint8Array) {
    this.boxes = readBoxes(Buffer.from(bytes), 0, bytes.length);
  }

  /**
   * Returns the box at a path of types, which starts at the top level. If there are several of one type, the first is
   * taken.
   *
   * @throws Error if there is no such box
   */
  get(...path: readonly string[]): Box {
    const found = this.find(...path);
    if (found === undefined) throw new Error(`The movie has no ${path.join('/')}.`);
    return found;
  }

  find(...path: readonly string[]): Box | undefined {
    let level = this.boxes;
    let found: Box | undefined;
    for (const type of path) {
      found = level.find((each) => each.type === type);
      level = found?.children ?? [];
    }
    return found;
  }

  /** Returns the tracks whose media has this handler, for example `vide` or `soun`. */
  tracks(handler: string): readonly Box[] {
    return this.get('moov').children.filter(
      (each) => each.type === 'trak' && contentOf(each, 'mdia', 'hdlr').toString('latin1', 8, 12) === handler,
    );
  }

  /** The first video track. */
  get video(): Box {
    const [first] = this.tracks('vide');
    if (first === undefined) throw new Error('The movie has no video track.');
    return first;
  }

  write(): Uint8Array {
    let at = 0;
    const moves: Move[] = [];
    for (const each of this.boxes) {
      const length = lengthOf(each);
      if (each.from !== null) {
        const old = each.header + (each.content?.length ?? 0);
        // Offsets that point into a box's content move with the content. Offsets that point to the box itself move with
        // its beginning.
        moves.push({
          from: each.from + each.header,
          to: each.from + old,
          by: at + headerOf(each) - each.from - each.header,
        });
        moves.push({ from: each.from, to: each.from + 1, by: at - each.from });
      }
      at += length;
    }
    for (const each of this.boxes)
      shift(each, (offset) => offset + (moves.find(({ from, to }) => offset >= from && offset < to)?.by ?? 0));
    return Buffer.concat(this.boxes.map(writeBox));
  }
}

interface Move {
  readonly from: number;
  readonly to: number;
  readonly by: number;
}

/**
 * Returns the content of a box inside another box.
 *
 * @throws Error if there is no such box
 */
export function contentOf(from: Box, ...path: readonly string[]): Buffer {
  const content = below(from, ...path)?.content;
  if (!content) throw new Error(`${from.type} has no ${path.join('/')}.`);
  return content;
}

export function below(from: Box, ...path: readonly string[]): Box | undefined {
  let found: Box | undefined = from;
  for (const type of path) found = found?.children.find((each) => each.type === type);
  return found;
}

function readBoxes(bytes: Buffer, start: number, end: number): Box[] {
  const boxes: Box[] = [];
  for (let at = start; at + 8 <= end; ) {
    const short = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const header = short === 1 ? 16 : 8;
    const length = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? end - at : short;
    const before = PARENTS[type];
    const [from, to] = [at + header, Math.min(at + length, end)];
    boxes.push({
      type,
      from: at,
      header,
      content: before === undefined ? Buffer.from(bytes.subarray(from, to)) : null,
      children: before === undefined ? [] : readBoxes(bytes, from + before, to),
    });
    at = to;
  }
  return boxes;
}

const headerOf = ({ form }: Box): number => (form === 'long' ? 16 : 8);

const lengthOf = (each: Box): number =>
  headerOf(each) + (each.content?.length ?? each.children.reduce((sum, child) => sum + lengthOf(child), 0));

function writeBox(each: Box): Buffer {
  const header = Buffer.alloc(headerOf(each));
  const length = lengthOf(each);
  header.writeUInt32BE(each.form === 'long' ? 1 : each.form === 'to the end' ? 0 : length);
  header.write(each.type, 4, 'latin1');
  if (each.form === 'long') header.writeBigUInt64BE(BigInt(length), 8);
  return Buffer.concat([header, each.content ?? Buffer.concat(each.children.map(writeBox))]);
}

/** Shifts the offsets that count from the beginning of the file: those of chunks, and those in some fragments. */
function shift(each: Box, move: (offset: number) => number): void {
  for (const child of each.children) shift(child, move);
  const { type, content } = each;
  if (content === null) return;
  const count = type === 'stco' || type === 'co64' ? content.readUInt32BE(4) : 0;
  for (let index = 0; index < count; index += 1) {
    if (type === 'stco') content.writeUInt32BE(move(content.readUInt32BE(8 + 4 * index)), 8 + 4 * index);
    else content.writeBigUInt64BE(BigInt(move(Number(content.readBigUInt64BE(8 + 8 * index)))), 8 + 8 * index);
  }
  if (type === 'tfhd' && (content.readUInt32BE() & 1) === 1)
    content.writeBigUInt64BE(BigInt(move(Number(content.readBigUInt64BE(8)))), 8);
}
