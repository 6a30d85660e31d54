import { setImmediate } from 'node:timers/promises';
import type { ByteSource } from '@postshelf/domain';
import { Damaged } from './bounded-reader.ts';

/** Bytes that are fetched first and kept while the file is inspected: all of a small one. */
export const FIRST = 64 * 1024;

/** What is fetched at once from then on: of an object store each piece costs a request. */
const PIECE = 1024 * 1024;

/**
 * Bytes of a piece that are processed at once: where they cost most, as blocks of a few bytes each, they take some
 * milliseconds.
 */
const SLICE = 32 * 1024;

/** Milliseconds after which other work of the process may run. */
const TURN = 4;

/**
 * Reads a file from its beginning on, piece by piece, and no byte twice except where a piece divides what is read
 * together. The caller walks the bytes of a piece without waiting, as a file may consist of millions of blocks, and
 * waits for {@link fill} where they end.
 */
export class ForwardReader {
  #offset = 0;
  #piece: Uint8Array = new Uint8Array();
  #view = viewOf(this.#piece);
  /** In the piece, or behind it. */
  #at = 0;
  /** Of what is at hand, in the piece. */
  #end = 0;
  #turn = performance.now();

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
    return this.#at + length <= this.#end;
  }

  /** Waits until at least so many bytes from the position on are at hand. Throws {@link Damaged} when the file ends before. */
  async fill(least: number): Promise<void> {
    if (!(await this.reaches(least))) throw new Damaged('The file ends early.');
  }

  /** As {@link fill}; false when the file ends before. */
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

  /** All bytes at hand: a view, good until the next {@link fill}. */
  ahead(): Uint8Array {
    return this.#piece.subarray(this.#at, this.#end);
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
