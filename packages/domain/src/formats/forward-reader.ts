import type { ByteSource } from '../objects/object-storage.ts';
import { Damaged } from './errors.ts';

export const FIRST_FETCH = 64 * 1024;

/** Bytes per fetch; large, because an object store needs a request for each. */
const FETCH = 1024 * 1024;

/** Bytes that are walked without a pause, which takes a few milliseconds in the worst case. */
const SLICE = 32 * 1024;

export interface ForwardReaderOptions {
  /** Number of bytes per fetch, except for the first, which fetches {@link FIRST_FETCH} bytes. */
  readonly fetch?: number;
  /** Awaited between slices, so that other work can run. */
  readonly turn?: () => Promise<void> | null;
}

/**
 * Reads a file forward. No byte is fetched twice unless a part extends beyond the end of a fetch. The caller walks the
 * buffered bytes synchronously, because a file may have millions of parts, and awaits {@link fill} when the buffer is
 * used up.
 */
export class ForwardReader {
  #offset = 0;
  #buffer: Uint8Array = new Uint8Array();
  #view = viewOf(this.#buffer);
  /**
   * The position and the end of the slice, as offsets in the buffer. The position may lie beyond the end of the buffer.
   */
  #at = 0;
  #end = 0;

  constructor(
    private readonly source: ByteSource,
    private readonly options: ForwardReaderOptions = {},
  ) {}

  /** Returns a reader of these bytes, all of which are buffered. */
  static over(bytes: Uint8Array): ForwardReader {
    const reader = new ForwardReader({ size: bytes.length, read: async (from, n) => bytes.subarray(from, from + n) });
    reader.#buffer = bytes;
    reader.#view = viewOf(bytes);
    reader.#end = bytes.length;
    return reader;
  }

  get size(): number {
    return this.source.size;
  }

  /** Offset of the next byte; beyond the end of the file if more was skipped. */
  get position(): number {
    return this.#offset + this.#at;
  }

  /** Whether this many bytes are buffered from the position on. */
  has(length: number): boolean {
    return this.#at + length <= this.#end;
  }

  /** Waits until this many bytes are buffered. Throws {@link Damaged} if the file ends earlier. */
  async fill(length: number): Promise<void> {
    if (!(await this.reaches(length))) throw new Damaged('The file ends early.');
  }

  /** Waits as {@link fill} does; returns false if the file ends earlier. */
  async reaches(length: number): Promise<boolean> {
    if (this.position + length > this.size) return false;
    if (this.#at + length > this.#buffer.length) await this.#fetch(length);
    await this.options.turn?.();
    this.#end = Math.min(this.#at + Math.max(length, SLICE), this.#buffer.length);
    return this.has(length);
  }

  async #fetch(length: number): Promise<void> {
    const { position } = this;
    const wanted = Math.max(length, position === 0 ? FIRST_FETCH : (this.options.fetch ?? FETCH));
    this.#buffer = await this.source.read(position, Math.min(wanted, this.size - position));
    this.#view = viewOf(this.#buffer);
    this.#offset = position;
    this.#at = 0;
  }

  /** Returns the rest of the slice as a view that is valid until the next {@link fill}. */
  ahead(): Uint8Array {
    return this.#buffer.subarray(this.#at, this.#end);
  }

  /**
   * Returns bytes that start `distance` bytes after the position, as a view that is valid until the next {@link fill}.
   */
  bytes(length: number, distance = 0): Uint8Array {
    return this.#buffer.subarray(this.#at + distance, this.#at + distance + length);
  }

  /**
   * Reads the byte at `distance` bytes after the position. The bytes that this and the methods below read must be
   * buffered.
   */
  byte(distance = 0): number {
    return this.#view.getUint8(this.#at + distance);
  }

  uint16(distance = 0, isLittleEndian = false): number {
    return this.#view.getUint16(this.#at + distance, isLittleEndian);
  }

  uint32(distance = 0, isLittleEndian = false): number {
    return this.#view.getUint32(this.#at + distance, isLittleEndian);
  }

  type(distance = 0): string {
    return fourCc(this.#view, this.#at + distance);
  }

  skip(length: number): void {
    this.#at += length;
  }

  skipTo(offset: number): void {
    this.#at = Math.max(this.#at, offset - this.#offset);
  }
}

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/** Reads a four-character code, such as a type, a handler or a brand. */
export const fourCc = (view: DataView, at: number): string =>
  String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3));
