import { setImmediate } from 'node:timers/promises';
import type { ByteSource } from '@postshelf/domain';
import { Damaged } from './bounded-reader.ts';

/** Bytes of the first fetch, which are kept while the file is inspected: all of a small file. */
export const FIRST = 64 * 1024;

/** Bytes of every further fetch: large, as an object store needs a request for each. */
const PIECE = 1024 * 1024;

/**
 * Bytes of a piece that are walked without a pause. In the worst case, blocks of a few bytes each, they take some
 * milliseconds.
 */
const SLICE = 32 * 1024;

/** Milliseconds after which other work of the process gets its turn. */
const TURN = 4;

/**
 * Reads a file forward, piece by piece, and no byte twice except where the border of a piece cuts a block. The caller
 * walks the buffered bytes synchronously, as a file may consist of millions of blocks, and awaits {@link fill} when
 * they are used up.
 */
export class ForwardReader {
  #offset = 0;
  #piece: Uint8Array = new Uint8Array();
  #view = viewOf(this.#piece);
  /** The position, as an offset in the piece; it may be behind the end of the piece. */
  #at = 0;
  /** The end of the buffered bytes, as an offset in the piece. */
  #end = 0;
  #turn = performance.now();

  constructor(private readonly source: ByteSource) {}

  /** Bytes in the file. */
  get size(): number {
    return this.source.size;
  }

  /** The offset in the file of the next byte; behind the end of the file if more was skipped than it has. */
  get position(): number {
    return this.#offset + this.#at;
  }

  /** Whether `length` bytes from the position on are buffered. */
  has(length: number): boolean {
    return this.#at + length <= this.#end;
  }

  /**
   * Waits until at least `least` bytes from the position on are buffered. Throws {@link Damaged} if the file ends
   * before.
   */
  async fill(least: number): Promise<void> {
    if (!(await this.reaches(least))) throw new Damaged('The file ends early.');
  }

  /** As {@link fill}; returns false if the file ends before. */
  async reaches(least: number): Promise<boolean> {
    if (this.position + least > this.size) return false;
    if (this.#at + least > this.#piece.length) await this.#fetch(least);
    if (performance.now() - this.#turn > TURN) {
      await setImmediate();
      this.#turn = performance.now();
    }
    this.#end = Math.min(this.#at + Math.max(least, SLICE), this.#piece.length);
    return this.has(least);
  }

  async #fetch(least: number): Promise<void> {
    const { position } = this;
    const wanted = Math.max(least, position === 0 ? FIRST : PIECE);
    this.#piece = await this.source.read(position, Math.min(wanted, this.size - position));
    this.#view = viewOf(this.#piece);
    this.#offset = position;
    this.#at = 0;
  }

  /** All buffered bytes: a view, valid until the next {@link fill}. */
  ahead(): Uint8Array {
    return this.#piece.subarray(this.#at, this.#end);
  }

  /** `length` buffered bytes, `behind` bytes after the position: a view, valid until the next {@link fill}. */
  bytes(length: number, behind = 0): Uint8Array {
    return this.#piece.subarray(this.#at + behind, this.#at + behind + length);
  }

  /** The byte `behind` bytes after the position, which must be buffered. */
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

  /** Skips bytes, buffered or not. */
  skip(length: number): void {
    this.#at += length;
  }
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
