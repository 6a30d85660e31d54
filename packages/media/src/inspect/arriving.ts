import type { ByteSource } from '@postshelf/domain';

/** Maximum bytes per read, which are held in memory. */
const MAX_READ = 1024 * 1024;

interface Read {
  readonly offset: number;
  readonly length: number;
  /** Number of bytes gathered so far. */
  filled: number;
  resolve(bytes: Uint8Array): void;
  reject(cause: unknown): void;
}

/**
 * A file that is read forward while it arrives. Arriving bytes are held back until the reader has requested what
 * follows them, or has called {@link leave}. Bytes that were passed on can't be read again, except those of the last
 * read. A read returns a view of the arriving chunk, or of a buffer if it spans several chunks. The view is valid until
 * the next read.
 */
export class ArrivingSource implements ByteSource {
  #passed = 0;
  #isWhole = false;
  #failure: unknown = null;
  #hasLeft = false;
  #read: Read | null = null;
  #last: { readonly offset: number; readonly bytes: Uint8Array } = { offset: 0, bytes: new Uint8Array() };
  /**
   * The buffer for reads that span several chunks. It is reused, because new buffers would become garbage as large as
   * the file.
   */
  #gathered = new Uint8Array();
  /** Wakes {@link pass}, which waits for the next read or for {@link leave}. */
  #onRead: () => void = () => undefined;

  /** The number of bytes in the file; infinite until it has arrived completely. */
  get size(): number {
    return this.#isWhole ? this.#passed : Number.POSITIVE_INFINITY;
  }

  /**
   * Reads forward: the offset must lie within the previous read or after it. Must not be called before the previous
   * read is answered, or after {@link leave}.
   *
   * @throws Error if the bytes have already passed, or if too many are requested; whatever the body throws
   */
  read(offset: number, length: number): Promise<Uint8Array> {
    const again = this.#last.bytes.subarray(offset - this.#last.offset);
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (this.#read !== null || this.#hasLeft)
      return Promise.reject(new Error('Only one read is allowed at a time, and none after leaving.'));
    if (offset < this.#last.offset || offset + again.length < this.#passed || length > MAX_READ)
      return Promise.reject(new Error('These bytes have already passed, or are too many.'));
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    this.#read = { offset, length, filled: 0, resolve, reject };
    this.#gather(this.#read, again.subarray(0, length));
    if (this.#isWhole) this.#answer(this.#read);
    this.#onRead();
    return promise;
  }

  /** Lets the remaining bytes pass without waiting for further reads. */
  leave(): void {
    this.#hasLeft = true;
    this.#onRead();
  }

  /** Passes on the body's bytes, unchanged, for storing. The caller must read them to the end or call `return`. */
  pass(body: AsyncIterable<Uint8Array>): AsyncIterableIterator<Uint8Array> {
    const source = body[Symbol.asyncIterator]();
    return {
      next: async () => {
        try {
          const next = await source.next();
          if (next.done) this.#end();
          else await this.#give(next.value);
          return next;
        } catch (cause) {
          this.#fail(cause);
          throw cause;
        }
      },
      return: async () => {
        this.#fail(new Error('The file was not read to its end.'));
        await source.return?.();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  async #give(chunk: Uint8Array): Promise<void> {
    const start = this.#passed;
    const end = start + chunk.length;
    while (!this.#hasLeft) {
      const read = this.#read;
      if (read === null) {
        await new Promise<void>((resolve) => {
          this.#onRead = resolve;
        });
        continue;
      }
      if (read.filled === 0 && read.offset >= start && read.offset + read.length <= end) {
        this.#answer(read, chunk.subarray(read.offset - start, read.offset - start + read.length));
        continue;
      }
      const from = read.offset + read.filled;
      if (from < end) this.#gather(read, chunk.subarray(from - start, read.offset + read.length - start));
      if (read.filled < read.length) break;
      this.#answer(read);
    }
    this.#passed = end;
  }

  #gather(read: Read, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#gathered.length < read.length) {
      const gathered = new Uint8Array(read.length);
      gathered.set(this.#gathered.subarray(0, read.filled));
      this.#gathered = gathered;
    }
    this.#gathered.set(bytes, read.filled);
    read.filled += bytes.length;
  }

  #answer(read: Read, bytes: Uint8Array = this.#gathered.subarray(0, read.filled)): void {
    this.#read = null;
    this.#last = { offset: read.offset, bytes };
    read.resolve(bytes);
  }

  #end(): void {
    this.#isWhole = true;
    if (this.#read) this.#answer(this.#read);
  }

  #fail(cause: unknown): void {
    this.#failure = cause;
    this.#read?.reject(cause);
    this.#read = null;
  }
}
