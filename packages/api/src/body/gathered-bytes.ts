export type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * Gathers pieces in one buffer, because an object for each one-byte piece would take a hundred times as much memory.
 * Stores nothing beyond the limit.
 */
export class GatheredBytes {
  #buffer = new Uint8Array();
  length = 0;

  constructor(private readonly limit: number) {}

  add(piece: Uint8Array): void {
    const length = this.length + piece.length;
    if (length <= this.limit && piece.length > 0) {
      if (length > this.#buffer.length) this.#grow(length);
      this.#buffer.set(piece, this.length);
    }
    this.length = length;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.length);
  }

  /**
   * Adds a last piece, returns all bytes, and starts over. Returns null if the bytes exceed the limit. The result is
   * valid until the next piece is added.
   */
  end(piece: Uint8Array): Uint8Array | null {
    if (this.length === 0) return piece.length > this.limit ? null : piece;
    this.add(piece);
    const bytes = this.length > this.limit ? null : this.bytes;
    this.length = 0;
    return bytes;
  }

  #grow(length: number): void {
    const grown = new Uint8Array(Math.min(this.limit, Math.max(length, 2 * this.#buffer.length)));
    grown.set(this.#buffer.subarray(0, this.length));
    this.#buffer = grown;
  }
}

/** Returns the buffer that holds a chunk; null if it may also hold other chunks. */
export const memoryOf = ({ buffer, byteLength }: Uint8Array): ArrayBuffer | null =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? buffer : null;
