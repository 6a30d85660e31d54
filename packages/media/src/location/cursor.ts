import { Turns } from '@postshelf/domain';
import type { BoundedReader } from '../inspect/bounded-reader.ts';
import { BeyondBounds } from './patch-list.ts';

/** Pieces of one file that are looked at: segments, chunks, blocks, boxes. A large PNG of a screen has some 30,000. */
const MAX_PIECES = 500_000;

/** Of all files that are looked at in this process. */
const turns = new Turns(
  () => performance.now(),
  (callback) => setImmediate(callback),
);

/** Goes through a file piece by piece, in turns of the event loop. Throws {@link BeyondBounds} behind too many pieces. */
export class Cursor {
  #pieces = 0;

  constructor(readonly reader: BoundedReader) {}

  get size(): number {
    return this.reader.size;
  }

  /** To be awaited before each piece. */
  async next(): Promise<void> {
    this.#pieces += 1;
    if (this.#pieces > MAX_PIECES) throw new BeyondBounds('Too many pieces.');
    await turns.next();
  }

  /** A copy of bytes, which may be changed. */
  async copy(offset: number, length: number): Promise<Uint8Array> {
    return (await this.reader.read(offset, length)).slice();
  }
}
