import type { ByteSource } from '@postshelf/domain';
import { BoundedReader, ForwardReader, type Walk } from '@postshelf/domain/formats';
import { turns } from '../turns.ts';
import { BeyondBounds } from './patch-list.ts';

/** Maximum number of segments, chunks or boxes of a file that are read one by one. */
const MAX_PIECES = 500_000;

/**
 * Maximum number of metadata blocks, each of which takes a few milliseconds. ImageMagick writes a block for each EXIF
 * tag.
 */
const MAX_BLOCKS = 256;

/** Maximum number of calls of {@link Cursor.returnTo}, each of which may lead to reading the rest of the file again. */
const MAX_RETURNS = 16;

const WINDOW = 64 * 1024;

/**
 * Reads a file in pieces, between which the event loop does other work. Throws {@link BeyondBounds} after too many
 * pieces.
 */
export class Cursor {
  readonly reader: BoundedReader;
  forward: ForwardReader;
  #pieces = 0;
  #returns = 0;
  #blocks = 0;

  constructor(private readonly source: ByteSource) {
    this.reader = new BoundedReader(source, { budget: 4 * source.size + 64 * 1024 * 1024, window: WINDOW });
    this.forward = this.#forwardReader();
  }

  #forwardReader(): ForwardReader {
    return new ForwardReader(this.source, { turn: () => turns.next() });
  }

  /**
   * Makes {@link forward} continue at an offset that it has already passed. Throws {@link BeyondBounds} after too many
   * returns.
   */
  returnTo(offset: number): void {
    this.#returns += 1;
    if (this.#returns > MAX_RETURNS) throw new BeyondBounds('Too many images without an end.');
    this.forward = this.#forwardReader();
    this.forward.skipTo(offset);
  }

  get size(): number {
    return this.reader.size;
  }

  /** Yields the parts that a walk finds in {@link forward}, and ends early if the file does. Each part is a piece. */
  async *parts<Part>(walk: Walk<Part>): AsyncGenerator<Part> {
    for (const step of walk) {
      if (typeof step !== 'number') {
        this.#countPiece();
        yield step;
      } else if (!(await this.forward.reaches(step))) {
        return;
      }
    }
  }

  /** Must be called for each piece that is read by its offset: counts the piece, and lets other work run. */
  async nextPiece(): Promise<void> {
    this.#countPiece();
    await turns.next();
  }

  #countPiece(): void {
    this.#pieces += 1;
    if (this.#pieces > MAX_PIECES) throw new BeyondBounds('Too many pieces.');
  }

  async copy(offset: number, length: number): Promise<Uint8Array> {
    return new Uint8Array(await this.reader.read(offset, length));
  }

  /** Like {@link copy}, but throws {@link BeyondBounds} after too many blocks. */
  async block(offset: number, length: number): Promise<Uint8Array> {
    this.countBlock();
    return this.copy(offset, length);
  }

  countBlock(): void {
    this.#blocks += 1;
    if (this.#blocks > MAX_BLOCKS) throw new BeyondBounds('Too many blocks of metadata.');
  }
}
