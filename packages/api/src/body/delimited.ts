const CARRIAGE_RETURN = 0x0d;

/** Thrown if the bytes ended, or the limit was reached, before the delimiter. */
export class MissingDelimiter extends Error {
  override readonly name = 'MissingDelimiter';
}

/**
 * Splits bytes at delimiters, with `Buffer.indexOf`. Holds one chunk, and earlier bytes that may be the beginning of a
 * delimiter. Returned bytes are valid until more are requested.
 *
 * A delimiter contains one carriage return, at its start. So if a delimiter is split between two chunks, it begins at
 * the last carriage return of the first one.
 */
export class DelimitedBytes {
  #failure: unknown = null;
  private held: Buffer = Buffer.alloc(0);

  constructor(private readonly chunks: AsyncIterator<Uint8Array>) {}

  /**
   * Consumes the bytes if they come next, and returns whether they did.
   *
   * @throws as {@link before}, if fewer bytes are left
   */
  async skip(bytes: Buffer): Promise<boolean> {
    while (this.held.length < bytes.length) await this.#more();
    const found = this.held.subarray(0, bytes.length).equals(bytes);
    if (found) this.#take(bytes.length);
    return found;
  }

  /**
   * Returns the next piece before the delimiter. After the last piece, consumes the delimiter and returns null.
   *
   * @throws MissingDelimiter if the bytes end before the delimiter, and whatever reading the chunks throws
   */
  async before(delimiter: Buffer): Promise<Buffer | null> {
    for (;;) {
      const found = this.held.indexOf(delimiter);
      if (found === 0) {
        this.held = this.held.subarray(delimiter.length);
        return null;
      }
      const end = found > 0 ? found : this.held.length - delimiterBytesAtEnd(this.held, delimiter);
      if (end > 0) return this.#take(end);
      await this.#more();
    }
  }

  /** Returns exactly `length` bytes. @throws as {@link before} */
  async take(length: number): Promise<Buffer> {
    while (this.held.length < length) await this.#more();
    return this.#take(length);
  }

  /**
   * Returns all bytes before the first `end`, without consuming `end`.
   *
   * @throws as {@link before}, and if there are more bytes than the limit
   */
  async upTo(end: Buffer, limit: number): Promise<Buffer> {
    for (;;) {
      const found = this.held.subarray(0, limit + end.length).indexOf(end);
      if (found >= 0) return this.#take(found);
      if (this.held.length >= limit + end.length) throw new MissingDelimiter();
      await this.#more();
    }
  }

  /** Reads the chunks to their end, and discards them. */
  async drop(): Promise<void> {
    this.held = this.held.subarray(0, 0);
    while (!(await this.chunks.next()).done);
  }

  #take(length: number): Buffer {
    const taken = this.held.subarray(0, length);
    this.held = this.held.subarray(length);
    return taken;
  }

  /**
   * Reads the next chunk. After an error, each later call throws the same error, so that the readers of the current and
   * of the next part get it.
   */
  async #more(): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    // The bytes are copied, because the chunk may only be valid until the next one is requested.
    const before = Buffer.from(this.held);
    try {
      const { done, value } = await this.chunks.next();
      if (done) throw new MissingDelimiter();
      const chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      this.held = before.length === 0 ? chunk : Buffer.concat([before, chunk]);
    } catch (failure) {
      this.#failure = failure;
      throw failure;
    }
  }
}

/** Returns how many bytes at the end of a chunk may begin a delimiter. */
function delimiterBytesAtEnd(chunk: Buffer, delimiter: Buffer): number {
  const begin = chunk.lastIndexOf(CARRIAGE_RETURN);
  const length = chunk.length - begin;
  if (begin < 0 || length >= delimiter.length) return 0;
  return chunk.subarray(begin).equals(delimiter.subarray(0, length)) ? length : 0;
}
