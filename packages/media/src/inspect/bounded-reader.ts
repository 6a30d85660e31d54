import type { ByteSource } from '@postshelf/domain';

/** The file is not what its first bytes claim, or takes more work to read than any honest file does. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** The file begins well, but its media data is cut off or overwritten. */
export class Damaged extends Error {
  override readonly name = 'Damaged';
}

export interface ReadLimits {
  /** Bytes fetched from the source in all. */
  readonly budget: number;
  /** The least that is fetched at once; what is asked for next is often among it. */
  readonly window: number;
}

/**
 * Reads here and there in a file whose author is not to be trusted. What ends a reading that goes on for ever is the
 * budget and not a clock, so that the same file always gets the same verdict, also on a busy machine.
 */
export class BoundedReader {
  #offset = 0;
  #window: Uint8Array = new Uint8Array();

  constructor(
    private readonly source: ByteSource,
    private readonly limits: ReadLimits,
    private readonly spent = { bytes: 0 },
  ) {}

  /** Reads the same file with a window of its own, on the same budget; begins with the bytes that were read here. */
  beside(window: number): BoundedReader {
    const other = new BoundedReader(this.source, { ...this.limits, window }, this.spent);
    other.#offset = this.#offset;
    other.#window = this.#window;
    return other;
  }

  /** Bytes in the file. */
  get size(): number {
    return this.source.size;
  }

  /**
   * Exactly `length` bytes from `offset`: a view, good until the next read. Throws {@link Unreadable} when the file has
   * not that many or the budget is spent, and what the source throws.
   */
  async read(offset: number, length: number): Promise<Uint8Array> {
    if (offset < this.#offset || offset + length > this.#offset + this.#window.length)
      await this.#fetch(offset, length);
    const start = offset - this.#offset;
    return this.#window.subarray(start, start + length);
  }

  /** At least so many bytes from the offset, and all that are at hand after them. Throws as {@link read} does. */
  async readAhead(offset: number, least: number): Promise<Uint8Array> {
    await this.read(offset, least);
    return this.#window.subarray(offset - this.#offset);
  }

  async #fetch(offset: number, length: number): Promise<void> {
    if (offset + length > this.size) throw new Unreadable('The file ends early.');
    const wanted = Math.min(Math.max(length, this.limits.window), this.size - offset);
    this.spent.bytes += wanted;
    if (this.spent.bytes > this.limits.budget) throw new Unreadable('The file takes too much reading.');
    const bytes = await this.source.read(offset, wanted);
    if (bytes.length < length) throw new Unreadable('The file ends early.');
    this.#offset = offset;
    this.#window = bytes;
  }
}
