import type { ByteSource } from '@postshelf/domain';
import { BoundedReader, ForwardReader, type Walk } from '@postshelf/domain/formats';
import { turns } from '../turns.ts';
import { BeyondBounds } from './patch-list.ts';

const MAX_PIECES = 500_000;

/** They take some milliseconds each. ImageMagick writes one for each EXIF tag. */
const MAX_BLOCKS = 256;

const WINDOW = 64 * 1024;

/** In turns of the event loop. Throws {@link BeyondBounds} after too many pieces. */
export class Cursor {
  readonly reader: BoundedReader;
  forward: ForwardReader;
  #pieces = 0;
  #blocks = 0;

  constructor(private readonly source: ByteSource) {
    this.reader = new BoundedReader(source, { budget: 4 * source.size + 64 * 1024 * 1024, window: WINDOW });
    this.forward = this.#forwardReader();
  }

  #forwardReader(): ForwardReader {
    return new ForwardReader(this.source, { turn: () => turns.next() });
  }

  /** {@link forward} continues at an offset that it has passed. */
  returnTo(offset: number): void {
    this.forward = this.#forwardReader();
    this.forward.skipTo(offset);
  }

  get size(): number {
    return this.reader.size;
  }

  /** The parts of a walk over {@link forward}, up to the end of the file. */
  async *parts<Part>(walk: Walk<Part>): AsyncGenerator<Part> {
    for (const step of walk) {
      if (typeof step !== 'number') {
        this.#count();
        yield step;
      } else if (!(await this.forward.reaches(step))) {
        return;
      }
    }
  }

  async next(): Promise<void> {
    this.#count();
    await turns.next();
  }

  #count(): void {
    this.#pieces += 1;
    if (this.#pieces > MAX_PIECES) throw new BeyondBounds('Too many pieces.');
  }

  async copy(offset: number, length: number): Promise<Uint8Array> {
    return new Uint8Array(await this.reader.read(offset, length));
  }

  /** As {@link copy}. Throws {@link BeyondBounds} when there are too many of them. */
  async block(offset: number, length: number): Promise<Uint8Array> {
    this.countBlock();
    return this.copy(offset, length);
  }

  countBlock(): void {
    this.#blocks += 1;
    if (this.#blocks > MAX_BLOCKS) throw new BeyondBounds('Too many blocks of metadata.');
  }
}
