import type { ByteSource } from '../objects/object-storage.ts';
import { Unreadable } from './errors.ts';

export interface ReadLimits {
  /** Maximum total bytes read from the source. */
  readonly budget: number;
  /** Minimum number of bytes per fetch. The extra bytes often serve the next read without another fetch. */
  readonly window: number;
}

/**
 * Reads at any offset of a file from an untrusted source. The work is limited by a budget, not by a time, so that a
 * file always gets the same verdict.
 */
export class BoundedReader {
  #offset = 0;
  #window: Uint8Array = new Uint8Array();

  constructor(
    private readonly source: ByteSource,
    private readonly limits: ReadLimits,
    private readonly spent = { bytes: 0 },
  ) {}

  /**
   * Returns a second reader of the same file. It has its own window, which at first holds the bytes that were read
   * last, and shares the budget.
   */
  withWindow(window: number): BoundedReader {
    const other = new BoundedReader(this.source, { ...this.limits, window }, this.spent);
    other.#offset = this.#offset;
    other.#window = this.#window;
    return other;
  }

  /** Size of the file in bytes. */
  get size(): number {
    return this.source.size;
  }

  /**
   * Returns a view that is valid until the next read. Throws {@link Unreadable} if the file has fewer bytes or the
   * budget is spent, and whatever the source throws.
   */
  async read(offset: number, length: number): Promise<Uint8Array> {
    if (offset < this.#offset || offset + length > this.#offset + this.#window.length)
      await this.#fetch(offset, length);
    const start = offset - this.#offset;
    return this.#window.subarray(start, start + length);
  }

  /** Returns at least `min` bytes and all that are buffered after them. Throws as {@link read} does. */
  async readAhead(offset: number, min: number): Promise<Uint8Array> {
    await this.read(offset, min);
    return this.#window.subarray(offset - this.#offset);
  }

  async #fetch(offset: number, length: number): Promise<void> {
    if (offset + length > this.size) throw new Unreadable('The file ends early.');
    const wanted = Math.min(Math.max(length, this.limits.window), this.size - offset);
    this.spent.bytes += wanted;
    if (this.spent.bytes > this.limits.budget) throw new Unreadable('Too much of the file has to be read.');
    const bytes = await this.source.read(offset, wanted);
    if (bytes.length < length) throw new Unreadable('The file ends early.');
    this.#offset = offset;
    this.#window = bytes;
  }
}
