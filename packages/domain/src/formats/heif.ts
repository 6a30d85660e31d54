import { BOX_HEADER, type Box, uint64 } from './boxes.ts';
import { Damaged, Unreadable } from './errors.ts';
import { withoutPrefix } from './exif.ts';
import { fourCc, viewOf } from './forward-reader.ts';

/** Colours by the numbers of ITU-T H.273. */
export interface ColourNumbers {
  readonly primaries: number;
  readonly transfer: number;
}

/** A transformation of the decoded image. Transformations apply in order (ISO/IEC 23008-12, section 6.5). */
export type HeifTransform =
  /** A rotation by quarter turns to the left. */
  | { readonly kind: 'turn'; readonly turns: number }
  /** `vertical` swaps top and bottom. */
  | { readonly kind: 'mirror'; readonly axis: 'vertical' | 'horizontal' }
  /**
   * The size of the part that is kept, and the offset of its centre from the image's centre, in pixels. `at` is the
   * offset in the file where these numbers are stored.
   */
  | {
      readonly kind: 'crop';
      readonly width: number;
      readonly height: number;
      readonly x: number;
      readonly y: number;
      readonly at: number;
    };

/** The properties of the image that a file displays. */
export interface HeifImage {
  /** The type of the items that hold the image's pixels: `hvc1`, `av01`, … */
  readonly coding: string;
  /** Whether the image is composed of other items, such as a grid of tiles. */
  readonly isDerived: boolean;
  /** Size in pixels before the transforms. */
  readonly width: number;
  readonly height: number;
  readonly transforms: readonly HeifTransform[];
  /** The ICC profile. */
  readonly profile: Uint8Array | null;
  readonly numbers: ColourNumbers | null;
  /** The EXIF block, which starts with its byte order. */
  readonly exif: Uint8Array | null;
  readonly xmp: Uint8Array | null;
}

/** Limits. Files from phones have some two hundred items; tiled files of 100 megapixels have up to a few thousand. */
const MAX_ITEMS = 20_000;
const MAX_PARTS = 100_000;
const MAX_PROPERTIES = 20_000;
const MAX_METADATA = 4 * 1024 * 1024;

/** Maximum depth of images composed of images. */
const MAX_DEPTH = 4;

interface Bytes {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads the primary item of an image file (ISO/IEC 23008-12; MIAF, ISO/IEC 23000-22).
 *
 * @param file the whole file
 * @returns null if there is none, as in a file with only an image sequence
 * @throws Damaged if data of an item is missing; Unreadable if the boxes can't be followed, or would take too much work
 */
export function readHeif(file: Uint8Array): HeifImage | null {
  try {
    return new HeifReader(file).read();
  } catch (error) {
    if (error instanceof RangeError) throw new Unreadable('A box is too short.', { cause: error });
    throw error;
  }
}

class HeifReader {
  readonly #view: DataView;
  readonly #types = new Map<number, { readonly type: string; readonly contentType: string }>();
  readonly #parts = new Map<number, readonly Bytes[]>();
  readonly #properties = new Map<number, readonly Box[]>();
  readonly #references = new Map<number, Map<string, number[]>>();
  #count = 0;

  constructor(private readonly file: Uint8Array) {
    this.#view = viewOf(file);
  }

  read(): HeifImage | null {
    const meta = this.#find({ start: 0, end: this.file.length }, 'meta');
    if (meta === null) return null;
    const inside = { start: meta.start + 4, end: meta.end };
    const box = (type: string): Box | null => this.#find(inside, type);
    const [primaryBox, entries, places] = [box('pitm'), box('iinf'), box('iloc')];
    if (primaryBox === null || entries === null || places === null) return null;
    const primary =
      this.#version(primaryBox) === 0 ? this.#uint16(primaryBox.start + 4) : this.#uint32(primaryBox.start + 4);
    this.#readTypes(entries);
    this.#readParts(places, box('idat'));
    this.#readProperties(box('iprp'));
    this.#readReferences(box('iref'));
    return this.#types.has(primary) ? this.#imageOf(primary) : null;
  }

  #imageOf(primary: number): HeifImage {
    const [coded, coding] = this.#codedOf(primary);
    const own = this.#properties.get(primary) ?? [];
    const size = own.find(({ type }) => type === 'ispe');
    if (size === undefined) throw new Unreadable('The image has no size.');
    // If an image made of tiles has no colours of its own, the colours of a tile apply to the whole image.
    const colours = this.#coloursOf(own);
    const ofTile = this.#coloursOf(this.#properties.get(coded) ?? []);
    return {
      coding,
      isDerived: coded !== primary,
      width: this.#uint32(size.start + 4),
      height: this.#uint32(size.start + 8),
      transforms: own.flatMap((property) => this.#transformOf(property) ?? []),
      profile: colours.profile ?? ofTile.profile,
      numbers: colours.numbers ?? ofTile.numbers,
      exif: this.#exifOf(primary),
      xmp: this.#metadataOf(
        primary,
        ({ type, contentType }) => type === 'mime' && contentType === 'application/rdf+xml',
      ),
    };
  }

  /** Returns the id and the type of the first item with pixels among those that the image is composed of. */
  #codedOf(primary: number): readonly [id: number, type: string] {
    let id = primary;
    for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
      const type = this.#types.get(id)?.type ?? '';
      const [next] = this.#references.get(id)?.get('dimg') ?? [];
      if (next === undefined || !['grid', 'iden', 'iovl', 'tmap'].includes(type)) return [id, type];
      id = next;
    }
    throw new Unreadable('The image is derived from too many other images.');
  }

  #transformOf({ type, start }: Box): HeifTransform | null {
    if (type === 'irot') return { kind: 'turn', turns: this.#view.getUint8(start) & 3 };
    if (type === 'imir')
      return { kind: 'mirror', axis: (this.#view.getUint8(start) & 1) === 0 ? 'vertical' : 'horizontal' };
    if (type !== 'clap') return null;
    const fraction = (index: number): number =>
      this.#view.getInt32(start + 8 * index) / Math.max(1, this.#uint32(start + 8 * index + 4));
    const [width, height, x, y] = [fraction(0), fraction(1), fraction(2), fraction(3)];
    return { kind: 'crop', width, height, x, y, at: start };
  }

  #coloursOf(properties: readonly Box[]): Pick<HeifImage, 'profile' | 'numbers'> {
    let [profile, numbers]: [Uint8Array | null, ColourNumbers | null] = [null, null];
    for (const { type, start, end } of properties) {
      if (type !== 'colr' || end - start < 4) continue;
      const kind = fourCc(this.#view, start);
      if (kind === 'prof' || kind === 'rICC') profile ??= this.file.subarray(start + 4, end);
      if (kind === 'nclx') numbers ??= { primaries: this.#uint16(start + 4), transfer: this.#uint16(start + 6) };
    }
    return { profile, numbers };
  }

  /**
   * Returns the EXIF block of an image. The first four bytes of the item say where the TIFF block begins (section
   * A.2.1).
   */
  #exifOf(primary: number): Uint8Array | null {
    const found = this.#metadataOf(primary, ({ type }) => type === 'Exif');
    if (found === null || found.length < 4) return null;
    const start = 4 + viewOf(found).getUint32(0);
    // Some programs write an offset that is too large. The block is then expected right after the first four bytes.
    return withoutPrefix(found.subarray(start < found.length ? start : 4));
  }

  /**
   * Returns the data of the metadata item that describes the image. If there is none, returns the data of an item that
   * describes no image at all.
   */
  #metadataOf(
    primary: number,
    isWanted: (item: { readonly type: string; readonly contentType: string }) => boolean,
  ): Uint8Array | null {
    const ids = [...this.#types].flatMap(([id, item]) => (isWanted(item) ? [id] : []));
    const describes = (id: number): readonly number[] => this.#references.get(id)?.get('cdsc') ?? [];
    const id = ids.find((one) => describes(one).includes(primary)) ?? ids.find((one) => describes(one).length === 0);
    return id === undefined ? null : this.#dataOf(id);
  }

  /** Returns the data of an item; null if it is empty or too long to be worth reading. */
  #dataOf(id: number): Uint8Array | null {
    const parts = this.#parts.get(id) ?? [];
    const length = parts.reduce((sum, { start, end }) => sum + end - start, 0);
    if (length === 0 || length > MAX_METADATA) return null;
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const { start, end } of parts) {
      bytes.set(this.file.subarray(start, end), at);
      at += end - start;
    }
    return bytes;
  }

  #readTypes(list: Bytes): void {
    const start = list.start + (this.#version(list) === 0 ? 6 : 8);
    for (const entry of this.#boxes({ start, end: list.end })) {
      const version = this.#version(entry);
      if (entry.type !== 'infe' || version < 2) continue;
      const id = version === 2 ? this.#uint16(entry.start + 4) : this.#uint32(entry.start + 4);
      const at = entry.start + (version === 2 ? 8 : 10);
      const type = fourCc(this.#view, at);
      const [, contentType = ''] =
        type === 'mime' ? this.#latin1(at + 4, Math.min(entry.end, at + 512)).split('\0') : [];
      this.#types.set(id, { type, contentType });
      if (this.#types.size > MAX_ITEMS) throw new Unreadable('Too many items.');
    }
  }

  /** Reads `iloc` (ISO/IEC 14496-12, section 8.11.3). */
  #readParts(list: Bytes, inMeta: Bytes | null): void {
    const version = this.#version(list);
    const sizes = this.#uint16(list.start + 4);
    const [offsetSize, lengthSize, baseSize] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
    const indexSize = version === 0 ? 0 : sizes & 15;
    let at = list.start + 6;
    const read = (size: number): number => {
      const value =
        size === 8 ? uint64(this.#view, at) : size === 4 ? this.#uint32(at) : size === 2 ? this.#uint16(at) : 0;
      at += size;
      return value;
    };
    const count = read(version < 2 ? 2 : 4);
    if (count > MAX_ITEMS) throw new Unreadable('Too many items.');
    let all = 0;
    for (let item = 0; item < count; item += 1) {
      const id = read(version < 2 ? 2 : 4);
      const method = version === 0 ? 0 : read(2) & 15;
      // This is the `data_reference_index`. 0 means that the data is in this file.
      const isHere = read(2) === 0;
      const base = read(baseSize);
      const parts: Bytes[] = [];
      const number = read(2);
      all += number;
      if (all > MAX_PARTS) throw new Unreadable('Too many parts.');
      for (let index = 0; index < number; index += 1) {
        read(indexSize);
        const [offset, length] = [base + read(offsetSize), read(lengthSize)];
        const within = method === 0 ? { start: 0, end: this.file.length } : method === 1 ? inMeta : null;
        if (within === null || !isHere) continue;
        const start = within.start + offset;
        const end = length === 0 ? within.end : start + length;
        if (end > within.end || start > end) throw new Damaged('Data of an item is missing.');
        parts.push({ start, end });
      }
      this.#parts.set(id, parts);
    }
  }

  #readProperties(list: Bytes | null): void {
    if (list === null) return;
    const container = this.#find(list, 'ipco');
    if (container === null) return;
    const all = [...this.#boxes(container)];
    if (all.length > MAX_PROPERTIES) throw new Unreadable('Too many properties.');
    for (const associations of this.#boxes(list)) {
      if (associations.type !== 'ipma') continue;
      const [version, isLong] = [this.#version(associations), (this.#view.getUint8(associations.start + 3) & 1) === 1];
      let at = associations.start + 8;
      for (let left = this.#uint32(associations.start + 4); left > 0; left -= 1) {
        this.#count += 1;
        if (this.#count > MAX_ITEMS) throw new Unreadable('Too many items.');
        const id = version < 1 ? this.#uint16(at) : this.#uint32(at);
        at += version < 1 ? 2 : 4;
        const number = this.#view.getUint8(at);
        at += 1;
        const own: Box[] = [];
        for (let index = 0; index < number; index += 1) {
          const key = isLong ? this.#uint16(at) & 0x7fff : this.#view.getUint8(at) & 0x7f;
          at += isLong ? 2 : 1;
          const property = all[key - 1];
          if (property) own.push(property);
        }
        this.#properties.set(id, own);
      }
    }
  }

  #readReferences(list: Bytes | null): void {
    if (list === null) return;
    const isLong = this.#version(list) > 0;
    const read = (at: number): number => (isLong ? this.#uint32(at) : this.#uint16(at));
    const length = isLong ? 4 : 2;
    let all = 0;
    for (const reference of this.#boxes({ start: list.start + 4, end: list.end })) {
      const from = read(reference.start);
      const count = this.#uint16(reference.start + length);
      all += count;
      if (all > MAX_PARTS) throw new Unreadable('Too many references.');
      const to = Array.from({ length: count }, (_, index) => read(reference.start + length + 2 + length * index));
      const known = this.#references.get(from) ?? new Map<string, number[]>();
      known.set(reference.type, [...(known.get(reference.type) ?? []), ...to]);
      this.#references.set(from, known);
    }
  }

  /** Iterates consecutive boxes. A box that extends beyond the end is cut off there. */
  *#boxes({ start, end }: Bytes): Generator<Box> {
    for (let from = start; from + BOX_HEADER <= end; ) {
      let [header, size] = [BOX_HEADER, this.#uint32(from)];
      if (size === 0) size = end - from;
      if (size === 1) [header, size] = [2 * BOX_HEADER, uint64(this.#view, from + BOX_HEADER)];
      if (size < header) throw new Unreadable('A box is smaller than its header.');
      const type = fourCc(this.#view, from + 4);
      yield { type, from, start: from + header, end: Math.min(from + size, end) };
      from += size;
    }
  }

  #find(within: Bytes, type: string): Box | null {
    for (const box of this.#boxes(within)) if (box.type === type) return box;
    return null;
  }

  #version({ start }: Bytes): number {
    return this.#view.getUint8(start);
  }

  #uint16(at: number): number {
    return this.#view.getUint16(at);
  }

  #uint32(at: number): number {
    return this.#view.getUint32(at);
  }

  #latin1(start: number, end: number): string {
    return String.fromCharCode(...this.file.subarray(start, end));
  }
}
