import type { BoundedReader } from './bounded-reader.ts';
import { type Box, contentView } from './boxes.ts';
import { Damaged, Unreadable } from './errors.ts';

/** Number of bytes of a table per read. */
const WINDOW = 192 * 1024;

const LONGEST_HEADER = 16;

export interface TableShape {
  /** Length in bytes of everything before the entries. The last four bytes are the number of entries. */
  readonly header: number;
  readonly entry: number;
}

/**
 * The entries of a table, read in pieces. A caller that finds the window empty fills it, so that several tables can be
 * walked in parallel.
 */
export class TableWindow {
  /** Number of entries in the window and after it. */
  left: number;
  #view: DataView = new DataView(new ArrayBuffer(0));
  /** Position and number of entries in the window. */
  #next = 0;
  #count = 0;

  private constructor(
    private readonly reader: BoundedReader,
    private offset: number,
    count: number,
    readonly bits: number,
  ) {
    this.left = count;
  }

  /** Opens a table. Throws `Damaged` if it claims more entries than its box can contain. */
  static async open(reader: BoundedReader, box: Box, { header, entry }: TableShape): Promise<TableWindow> {
    const length = box.end - box.start;
    if (length < header) throw new Unreadable('A table is too short.');
    const own = reader.withWindow(0);
    const count = contentView(await own.read(box.start, Math.min(length, WINDOW))).getUint32(header - 4);
    if (Math.ceil((count * entry) / 8) > length - header) throw new Damaged('A table is longer than its box.');
    return new TableWindow(own, box.start + header, count, entry);
  }

  get isEmpty(): boolean {
    return this.#next === this.#count;
  }

  get buffered(): number {
    return this.#count - this.#next;
  }

  /** Reads the next piece. Throws `Damaged` if there is none. */
  async fill(): Promise<void> {
    if (this.left === 0) throw new Damaged('A table ends early.');
    // `open` has read up to `WINDOW` bytes, including the header. The longest header is subtracted here, so that a
    // small table needs no second read.
    this.#count = Math.min(this.left, Math.floor(((WINDOW - LONGEST_HEADER) * 8) / this.bits));
    const length = Math.ceil((this.#count * this.bits) / 8);
    this.#view = contentView(await this.reader.read(this.offset, length));
    this.offset += length;
    this.#next = 0;
  }

  /** Returns the offset in {@link view} of the next entry, which must be buffered. */
  take(): number {
    const at = (this.#next * this.bits) / 8;
    this.#next += 1;
    this.left -= 1;
    return at;
  }

  get view(): DataView {
    return this.#view;
  }

  /** Sums integer entries, which must be buffered. */
  sum(count: number): number {
    let sum = 0;
    for (let end = this.#next + count; this.#next < end; this.#next += 1) sum += this.#number(this.#next);
    this.left -= count;
    return sum;
  }

  #number(index: number): number {
    if (this.bits === 32) return this.#view.getUint32(4 * index);
    if (this.bits === 16) return this.#view.getUint16(2 * index);
    if (this.bits === 8) return this.#view.getUint8(index);
    const pair = this.#view.getUint8(index >> 1);
    return index % 2 === 0 ? pair >> 4 : pair & 15;
  }
}
