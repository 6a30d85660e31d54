const CARRIAGE_RETURN = 0x0d;

/** What one asks for didn't come before the bytes ended, or not within its limit. */
export class Undelimited extends Error {
  override readonly name = 'Undelimited';
}

/**
 * Bytes that come in chunks, taken apart at delimiters by the platform's own search. Holds a chunk, and of the
 * one before no more than may begin a delimiter. What is taken is good until more is asked for.
 *
 * A delimiter begins with a carriage return and has no other, so that the last one of a chunk is the only place where a
 * delimiter may begin that ends in the next chunk.
 */
export class DelimitedBytes {
  #failure: unknown = null;

  /** @param held what stands before the first chunk */
  constructor(
    private readonly chunks: AsyncIterator<Uint8Array>,
    private held: Buffer,
  ) {}

  /**
   * The next piece of what stands before the delimiter; null, once, when there is no more of it: then the delimiter is taken
   * too.
   *
   * @throws Undelimited when the bytes end before it; what the chunks throw
   */
  async before(delimiter: Buffer): Promise<Buffer | null> {
    for (;;) {
      const found = this.held.indexOf(delimiter);
      if (found === 0) {
        this.held = this.held.subarray(delimiter.length);
        return null;
      }
      const end = found > 0 ? found : this.held.length - begunAtTheEnd(this.held, delimiter);
      if (end > 0) return this.#take(end);
      await this.#more();
    }
  }

  /** So many bytes. @throws as {@link before} */
  async take(length: number): Promise<Buffer> {
    while (this.held.length < length) await this.#more();
    return this.#take(length);
  }

  /**
   * All that stands before the first end, which stays.
   *
   * @param limit bytes that it may have
   * @throws as {@link before}, also where it is longer
   */
  async upTo(end: Buffer, limit: number): Promise<Buffer> {
    for (;;) {
      const found = this.held.subarray(0, limit + end.length).indexOf(end);
      if (found >= 0) return this.#take(found);
      if (this.held.length >= limit + end.length) throw new Undelimited();
      await this.#more();
    }
  }

  /** Reads the chunks to their end, and drops them. */
  async drop(): Promise<void> {
    this.held = this.held.subarray(0, 0);
    while (!(await this.chunks.next()).done);
  }

  #take(length: number): Buffer {
    const taken = this.held.subarray(0, length);
    this.held = this.held.subarray(length);
    return taken;
  }

  /** Appends a chunk. What has failed once fails again: whoever reads a part gets the error, and who wants the next one. */
  async #more(): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    // The chunk may be lent until the next one is asked for.
    const before = Buffer.from(this.held);
    try {
      const { done, value } = await this.chunks.next();
      if (done) throw new Undelimited();
      const chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      this.held = before.length === 0 ? chunk : Buffer.concat([before, chunk]);
    } catch (failure) {
      this.#failure = failure;
      throw failure;
    }
  }
}

/** How many bytes at the end of a chunk may begin a delimiter. */
function begunAtTheEnd(chunk: Buffer, delimiter: Buffer): number {
  const begin = chunk.lastIndexOf(CARRIAGE_RETURN);
  const length = chunk.length - begin;
  if (begin < 0 || length >= delimiter.length) return 0;
  return chunk.subarray(begin).equals(delimiter.subarray(0, length)) ? length : 0;
}
