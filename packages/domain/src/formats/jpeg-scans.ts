import { EntropyReader, HuffmanTable } from './jpeg-entropy.ts';

/** Maximum number of pixels of a JPEG that the decoder accepts. */
export const MAX_JPEG_PIXELS = 268_402_689;

const [SOF0, SOF1, SOF2, DHT, SOI, EOI, SOS, DQT, DRI] = [0xc0, 0xc1, 0xc2, 0xc4, 0xd8, 0xd9, 0xda, 0xdb, 0xdd];

const BLOCK = 64;

interface Component {
  readonly id: number;
  /** Number of blocks of an MCU across and down (ITU-T T.81, A.1.1). */
  readonly across: number;
  readonly down: number;
  readonly quantisation: number;
  /**
   * Number of blocks: `width` and `height` for all MCUs, `ownWidth` and `ownHeight` for a scan with only this component
   * (A.2.2).
   */
  readonly width: number;
  readonly height: number;
  readonly ownWidth: number;
  readonly ownHeight: number;
  /** A bit for each nonzero coefficient, in zigzag order; only for a progressive frame. */
  readonly nonZero: Uint32Array;
  /** The lowest bit of each coefficient that has been decoded; -1 if none has been decoded yet. */
  readonly precision: Int8Array;
  predictor: number;
}

interface Frame {
  readonly isProgressive: boolean;
  readonly components: readonly Component[];
  readonly across: number;
  readonly down: number;
}

interface Scan {
  readonly components: readonly Component[];
  readonly dc: readonly (HuffmanTable | undefined)[];
  readonly ac: readonly (HuffmanTable | undefined)[];
  readonly from: number;
  readonly to: number;
  readonly high: number;
  readonly low: number;
}

/** Thrown if the data isn't a complete scan. */
class Incomplete extends Error {}

/**
 * Whether every coefficient of a Huffman-coded JPEG, baseline or progressive, decodes to its last bit (ITU-T T.81,
 * annexes F and G). The end marker may be missing, and anything may follow it. No samples are computed. This takes
 * about a second per 100 MB, and one bit of memory per coefficient of a progressive frame.
 */
export const allCoefficientsDecode = (bytes: Uint8Array): boolean => endOfScans(bytes) !== null;

/** Returns the offset after the last scan; null if {@link allCoefficientsDecode} is false. */
export function endOfScans(bytes: Uint8Array): number | null {
  try {
    return new JpegScans(bytes).decode();
  } catch (error) {
    if (error instanceof Incomplete) return null;
    throw error;
  }
}

class JpegScans {
  readonly #view: DataView;
  readonly #dc: HuffmanTable[] = [];
  readonly #ac: HuffmanTable[] = [];
  readonly #firstQuantum: number[] = [];
  #frame: Frame | null = null;
  #restart = 0;

  constructor(private readonly bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  decode(): number | null {
    for (let at = 2; ; ) {
      at = this.bytes.indexOf(0xff, at);
      if (at < 0) return null;
      while (this.bytes[at + 1] === 0xff) at += 1;
      const code = this.bytes[at + 1] ?? 0;
      at += 2;
      if (code === SOI || code === EOI || code < 0xc0) {
        if (code === 0 || code === 1) continue;
        return null;
      }
      if (code >= 0xd0 && code < SOI) continue;
      if (at + 2 > this.bytes.length) return null;
      const end = at + Math.max(2, this.#view.getUint16(at));
      if (end > this.bytes.length) return null;
      const content = this.bytes.subarray(at + 2, end);
      at = end;
      if (code === DHT) this.#readTables(content);
      else if (code === DQT) this.#readQuantisation(content);
      else if (code === DRI) this.#restart = ((content[0] ?? 0) << 8) | (content[1] ?? 0);
      else if (code === SOF0 || code === SOF1 || code === SOF2) {
        if (this.#frame !== null) return null;
        this.#frame = readFrame(content, code === SOF2);
      } else if (code > SOF2 && code < 0xd0 && code !== 0xc8 && code !== 0xcc) return null;
      else if (code === SOS) {
        const start = at;
        at = this.#decodeScan(content, at);
        if (isComplete(this.#frame)) return hasTrailerBetween(this.bytes, start, at) ? null : at;
      }
    }
  }

  #readTables(content: Uint8Array): void {
    for (let at = 0; at + 17 <= content.length; ) {
      const target = content[at] ?? 0;
      const lengths = content.subarray(at + 1, at + 17);
      const count = lengths.reduce((sum, each) => sum + each, 0);
      const tables = target & 0xf0 ? this.#ac : this.#dc;
      tables[target & 3] = new HuffmanTable(lengths, content.subarray(at + 17, at + 17 + count));
      at += 17 + count;
    }
  }

  #readQuantisation(content: Uint8Array): void {
    for (let at = 0; at < content.length; ) {
      const head = content[at] ?? 0;
      const isWide = head >> 4 > 0;
      const first = content[at + 1] ?? 0;
      this.#firstQuantum[head & 3] = isWide ? (first << 8) | (content[at + 2] ?? 0) : first;
      at += 1 + (isWide ? 2 : 1) * BLOCK;
    }
  }

  /** @returns the offset after the scan's last byte */
  #decodeScan(content: Uint8Array, at: number): number {
    const frame = this.#frame;
    const count = content[0] ?? 0;
    if (frame === null || count < 1 || count > 4 || content.length < 4 + 2 * count) throw new Incomplete();
    const components: Component[] = [];
    const [dc, ac]: [(HuffmanTable | undefined)[], (HuffmanTable | undefined)[]] = [[], []];
    for (let index = 0; index < count; index += 1) {
      const component = frame.components.find(({ id }) => id === content[1 + 2 * index]);
      if (component === undefined) throw new Incomplete();
      const tables = content[2 + 2 * index] ?? 0;
      components.push(component);
      dc.push(this.#dc[(tables >> 4) & 3]);
      ac.push(this.#ac[tables & 3]);
    }
    const [from = 0, to = 0, bits = 0] = content.subarray(1 + 2 * count);
    const scan = { components, dc, ac, from, to, high: bits >> 4, low: bits & 15 };
    if (frame.isProgressive && !isValidBand(scan)) throw new Incomplete();
    const reader = new EntropyReader(this.bytes, at);
    const decode = frame.isProgressive ? progressive(scan, reader) : sequential(scan, reader, this.#firstQuantum);
    this.#forEachBlock(frame, scan, reader, decode);
    for (const { precision } of components) {
      if (frame.isProgressive) precision.fill(scan.low, from, to + 1);
      else precision.fill(0);
    }
    const after = reader.end();
    if (after < 0) throw new Incomplete();
    return after;
  }

  #forEachBlock(frame: Frame, { components }: Scan, reader: EntropyReader, decode: DecodeBlock): void {
    const [only] = components;
    const isSingle = components.length === 1;
    const [across, down] = isSingle && only ? [only.ownWidth, only.ownHeight] : [frame.across, frame.down];
    const total = across * down;
    for (const component of components) component.predictor = 0;
    for (let mcu = 0; mcu < total; mcu += 1) {
      if (this.#restart > 0 && mcu > 0 && mcu % this.#restart === 0) {
        if (!reader.passRestart()) throw new Incomplete();
        for (const component of components) component.predictor = 0;
        decode.restart();
      }
      const [column, row] = [mcu % across, Math.floor(mcu / across)];
      if (isSingle && only) decode.block(0, row * only.width + column);
      else {
        for (let index = 0; index < components.length; index += 1) {
          const component = components[index] as Component;
          for (let y = 0; y < component.down; y += 1) {
            const start = (row * component.down + y) * component.width + column * component.across;
            for (let x = 0; x < component.across; x += 1) decode.block(index, start + x);
          }
        }
      }
      if (reader.isExhausted) throw new Incomplete();
    }
  }
}

function readFrame(content: Uint8Array, isProgressive: boolean): Frame {
  const [precision = 0, h1 = 0, h0 = 0, w1 = 0, w0 = 0, count = 0] = content;
  const [height, width] = [(h1 << 8) | h0, (w1 << 8) | w0];
  if (precision !== 8 || width * height === 0 || width * height > MAX_JPEG_PIXELS || count < 1 || count > 4)
    throw new Incomplete();
  const specs = Array.from({ length: count }, (_, index) => content.subarray(6 + 3 * index, 9 + 3 * index));
  const factors = specs.map(([, factor = 0]) => [factor >> 4, factor & 15] as const);
  if (factors.some(([x, y]) => x < 1 || x > 4 || y < 1 || y > 4)) throw new Incomplete();
  const [maxAcross, maxDown] = [Math.max(...factors.map(([x]) => x)), Math.max(...factors.map(([, y]) => y))];
  const [across, down] = [Math.ceil(width / (8 * maxAcross)), Math.ceil(height / (8 * maxDown))];
  const components = specs.map(([id = 0, , quantisation = 0], index): Component => {
    const [x, y] = factors[index] ?? [1, 1];
    const blocks = across * x * down * y;
    return {
      id,
      across: x,
      down: y,
      quantisation: quantisation & 3,
      width: across * x,
      height: down * y,
      ownWidth: Math.ceil(Math.ceil((width * x) / maxAcross) / 8),
      ownHeight: Math.ceil(Math.ceil((height * y) / maxDown) / 8),
      nonZero: new Uint32Array(isProgressive ? 2 * blocks : 0),
      precision: new Int8Array(BLOCK).fill(-1),
      predictor: 0,
    };
  });
  return { isProgressive, components, across, down };
}

/** Whether a scan's band is valid: a refinement must follow what it refines (ITU-T T.81, G.1.1.1). */
function isValidBand({ components, from, to, high, low }: Scan): boolean {
  const isBand = from === 0 ? to === 0 : from <= to && to < BLOCK && components.length === 1;
  if (!isBand || high === 0) return isBand;
  return (
    low === high - 1 && components.every(({ precision }) => precision.subarray(from, to + 1).every((at) => at === high))
  );
}

/** Numbers of bytes before and after the end of a scan that are searched for the start of appended data. */
const [BEFORE, AFTER] = [1024, 64];

/** Data that phones append: a Samsung block with a number and a name, or the first box of a video. */
const TRAILER = /\0\0[\s\S]{2}[^\0]\0\0\0[A-Za-z_]{4}|\0\0\0[\s\S]ftyp|SEF[HT]/;
/** Shorter words occur by chance in the data of many scans. */
const WORDS = /[\w ]{12,}/g;

/**
 * Whether appended data begins before the end of the last scan. The scan was then truncated, and the beginning of the
 * appended data happened to decode as the rest of it.
 */
function hasTrailerBetween(bytes: Uint8Array, start: number, end: number): boolean {
  const from = Math.max(start, end - BEFORE);
  const text = String.fromCharCode(...bytes.subarray(from, end + AFTER));
  const trailer = text.search(TRAILER);
  const words = text.slice(0, end - from).match(WORDS) ?? [];
  // In uniform images, long words are only repeated bytes, so a word must have more than four different characters.
  return (trailer >= 0 && trailer < end - from) || words.some((word) => new Set(word).size > 4);
}

const isComplete = (frame: Frame | null): boolean =>
  frame?.components.every(({ precision }) => precision.every((low) => low === 0)) ?? false;

interface DecodeBlock {
  block(index: number, block: number): void;
  restart(): void;
}

/** Maximum dequantised DC coefficient. Bytes that aren't a scan soon decode to larger ones. */
const MAX_DC = 2048;

function sequential({ components, dc, ac }: Scan, reader: EntropyReader, quanta: readonly number[]): DecodeBlock {
  return {
    restart: () => undefined,
    block(index) {
      const [component, dcTable, acTable] = [components[index], dc[index], ac[index]];
      if (!component || !dcTable || !acTable) throw new Incomplete();
      readDc(component, dcTable, reader, quanta[component.quantisation] ?? 1);
      for (let k = 1; k < BLOCK; ) {
        const code = reader.symbol(acTable);
        if (code < 0) throw new Incomplete();
        const size = code & 15;
        if (size === 0) {
          if (code !== 0xf0) return;
          k += 16;
        } else {
          k += (code >> 4) + 1;
          reader.skip(size);
        }
        if (k > BLOCK) throw new Incomplete();
      }
    },
  };
}

function readDc(component: Component, table: HuffmanTable, reader: EntropyReader, quantum: number): void {
  const size = reader.symbol(table);
  if (size < 0 || size > 11) throw new Incomplete();
  const bits = reader.bits(size);
  component.predictor += size > 0 && bits < 1 << (size - 1) ? bits - (1 << size) + 1 : bits;
  if (Math.abs(component.predictor) * quantum > MAX_DC + quantum) throw new Incomplete();
}

function progressive(scan: Scan, reader: EntropyReader): DecodeBlock {
  const { components, dc, from, high, low } = scan;
  if (from > 0) return high === 0 ? firstAc(scan, reader) : refineAc(scan, reader);
  return {
    restart: () => undefined,
    block(index) {
      const [component, table] = [components[index], dc[index]];
      if (high > 0) reader.skip(1);
      else if (component && table) readDc(component, table, reader, 1 << low);
      else throw new Incomplete();
    },
  };
}

/** Decodes the first bits of a band of coefficients (ITU-T T.81, G.1.2.2). */
function firstAc({ components: [component], ac: [table], from, to }: Scan, reader: EntropyReader): DecodeBlock {
  if (!component || !table) throw new Incomplete();
  const { nonZero } = component;
  let blocksWithout = 0;
  return {
    restart() {
      blocksWithout = 0;
    },
    block(_, block) {
      if (blocksWithout > 0) {
        blocksWithout -= 1;
        return;
      }
      for (let k = from; k <= to; k += 1) {
        const code = reader.symbol(table);
        if (code < 0) throw new Incomplete();
        const [run, size] = [code >> 4, code & 15];
        if (size === 0) {
          if (run < 15) {
            blocksWithout = (1 << run) - 1 + reader.bits(run);
            return;
          }
          k += 15;
        } else {
          k += run;
          if (k > to) throw new Incomplete();
          reader.skip(size);
          mark(nonZero, block, k);
        }
      }
    },
  };
}

/** Decodes one more bit of each coefficient of a band (G.1.2.3). */
function refineAc({ components: [component], ac: [table], from, to }: Scan, reader: EntropyReader): DecodeBlock {
  if (!component || !table) throw new Incomplete();
  const { nonZero } = component;
  let blocksWithout = 0;
  return {
    restart() {
      blocksWithout = 0;
    },
    block(_, block) {
      let k = from;
      if (blocksWithout === 0) {
        while (k <= to) {
          const code = reader.symbol(table);
          if (code < 0) throw new Incomplete();
          let run = code >> 4;
          const isNew = (code & 15) !== 0;
          if (isNew) reader.skip(1);
          else if (run < 15) {
            blocksWithout = (1 << run) + reader.bits(run);
            break;
          }
          // Zeros are skipped; nonzero coefficients have one bit each.
          while (k <= to) {
            if (isMarked(nonZero, block, k)) reader.skip(1);
            else if (run === 0) break;
            else run -= 1;
            k += 1;
          }
          if (isNew) {
            if (k > to) throw new Incomplete();
            mark(nonZero, block, k);
          }
          k += 1;
        }
      }
      if (blocksWithout > 0) {
        for (; k <= to; k += 1) if (isMarked(nonZero, block, k)) reader.skip(1);
        blocksWithout -= 1;
      }
    },
  };
}

function mark(nonZero: Uint32Array, block: number, k: number): void {
  const at = 2 * block + (k >> 5);
  nonZero[at] = (nonZero[at] ?? 0) | (1 << (k & 31));
}

const isMarked = (nonZero: Uint32Array, block: number, k: number): boolean =>
  ((nonZero[2 * block + (k >> 5)] ?? 0) & (1 << (k & 31))) !== 0;
