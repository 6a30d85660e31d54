import { setImmediate } from 'node:timers/promises';
import type { ByteSource } from '@postshelf/domain';

/** The file begins well, but ends before its media data does, or has other bytes in their place. */
export class Damaged extends Error {
  override readonly name = 'Damaged';
}

/** What is fetched first; the inspector has it at hand. */
const FIRST = 64 * 1024;

/** What is fetched at once from then on: what a turn of the event loop has to look at. Costlier bytes take 3 ms. */
const PIECE = 256 * 1024;

/**
 * Reads a file from its beginning on, a piece after the other, and no byte of it twice but for those that a piece
 * divides. Who reads looks at the bytes that are at hand without waiting, as a file may consist of millions of blocks, and
 * waits for {@link fill} where they end; other work gets its turn then.
 */
export class ForwardReader {
  #offset = 0;
  #piece: Uint8Array = new Uint8Array();
  #view = viewOf(this.#piece);
  /** In the piece, or behind it. */
  #at = 0;

  constructor(private readonly source: ByteSource) {}

  /** Bytes in the file. */
  get size(): number {
    return this.source.size;
  }

  /** Offset in the file of what is read next; behind its end when more was skipped than it has. */
  get position(): number {
    return this.#offset + this.#at;
  }

  /** Whether so many bytes from the position on are at hand. */
  has(length: number): boolean {
    return this.#at + length <= this.#piece.length;
  }

  /** Fetches at least so many bytes from the position on. Throws {@link Damaged} when the file ends before. */
  async fill(least: number): Promise<void> {
    if (!(await this.reaches(least))) throw new Damaged('The file ends early.');
  }

  /** Fetches at least so many bytes from the position on; false when the file ends before. */
  async reaches(least: number): Promise<boolean> {
    const { position, size } = this;
    if (position + least > size) return false;
    if (position > 0) await setImmediate();
    const wanted = Math.max(least, position === 0 ? FIRST : PIECE);
    this.#piece = await this.source.read(position, Math.min(wanted, size - position));
    this.#view = viewOf(this.#piece);
    this.#offset = position;
    this.#at = 0;
    return this.#piece.length >= least;
  }

  /** All bytes at hand: a view, good until the next {@link fill}. */
  ahead(): Uint8Array {
    return this.#piece.subarray(this.#at);
  }

  /** So many bytes, which are at hand, from so far behind the position: a view, good until the next {@link fill}. */
  bytes(length: number, behind = 0): Uint8Array {
    return this.#piece.subarray(this.#at + behind, this.#at + behind + length);
  }

  /** The byte so far behind the position; it is at hand. */
  byte(behind = 0): number {
    return this.#view.getUint8(this.#at + behind);
  }

  uint16(behind = 0): number {
    return this.#view.getUint16(this.#at + behind);
  }

  uint32(behind = 0): number {
    return this.#view.getUint32(this.#at + behind);
  }

  uint32LittleEndian(behind = 0): number {
    return this.#view.getUint32(this.#at + behind, true);
  }

  /** Leaves out so many bytes, at hand or not. */
  skip(length: number): void {
    this.#at += length;
  }
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
