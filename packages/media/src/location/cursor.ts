import { Turns } from '@postshelf/domain';
import type { BoundedReader } from '../inspect/bounded-reader.ts';
import { BeyondBounds } from './patch-list.ts';

/**
 * Most pieces of one file that are visited: segments, chunks, blocks, boxes. A large PNG of a screen has some 30,000.
 */
const MAX_PIECES = 500_000;

/** Most blocks of metadata, which take some milliseconds each. ImageMagick writes one for each EXIF tag. */
const MAX_BLOCKS = 256;

/** Shared by all files that are searched in this process. */
const turns = new Turns(
  () => performance.now(),
  (callback) => setImmediate(callback),
);

/**
 * Goes through a file piece by piece, in turns of the event loop. Throws {@link BeyondBounds} after too many pieces.
 */
export class Cursor {
  #pieces = 0;
  #blocks = 0;

  constructor(readonly reader: BoundedReader) {}

  get size(): number {
    return this.reader.size;
  }

  /** Must be awaited before each piece. */
  async next(): Promise<void> {
    this.#pieces += 1;
    if (this.#pieces > MAX_PIECES) throw new BeyondBounds('Too many pieces.');
    await turns.next();
  }

  /** A copy of bytes, which stays valid after the next read. */
  async copy(offset: number, length: number): Promise<Uint8Array> {
    return new Uint8Array(await this.reader.read(offset, length));
  }

  /** As {@link copy}, for a block of metadata. Throws {@link BeyondBounds} when there are too many of them. */
  async block(offset: number, length: number): Promise<Uint8Array> {
    this.countBlock();
    return this.copy(offset, length);
  }

  countBlock(): void {
    this.#blocks += 1;
    if (this.#blocks > MAX_BLOCKS) throw new BeyondBounds('Too many blocks of metadata.');
  }
}
