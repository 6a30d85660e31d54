/** Maximum length of a code in bits (ITU-T T.81, annex C). */
const MAX_BITS = 16;
const FIRST_RESTART = 0xd0;

/** A table that finds a code by the next 16 bits. */
export class HuffmanTable {
  /** The code's length in the high byte and its symbol in the low one; 0 if no code begins with these bits. */
  #codes: Uint16Array | null = null;

  /**
   * @param lengths the number of codes of each length
   * @param symbols in the order of the codes
   */
  constructor(
    private readonly lengths: Uint8Array,
    private readonly symbols: Uint8Array,
  ) {}

  /** The table is built on first use, because a file may have thousands of tables. */
  get codes(): Uint16Array {
    this.#codes ??= this.#fill();
    return this.#codes;
  }

  #fill(): Uint16Array {
    const codes = new Uint16Array(1 << MAX_BITS);
    let [at, index] = [0, 0];
    for (let length = 1; length <= MAX_BITS; length += 1) {
      const step = 1 << (MAX_BITS - length);
      for (let count = this.lengths[length - 1] ?? 0; count > 0 && at < codes.length; count -= 1) {
        const symbol = this.symbols[index];
        if (symbol !== undefined) codes.fill((length << 8) | symbol, at, at + step);
        at += step;
        index += 1;
      }
    }
    return codes;
  }
}

/** Reads the bits of a scan up to the next marker. Beyond it, zeros are read and the reader becomes exhausted. */
export class EntropyReader {
  #buffer = 0;
  /** Number of bits in the buffer; negative once more bits were taken than exist. */
  #count = 0;
  /** Number of zeros in the buffer that aren't in the file. */
  #missing = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private at: number,
  ) {}

  get isExhausted(): boolean {
    return this.#count < this.#missing;
  }

  /** Reads a symbol; -1 if the bits aren't a code. */
  symbol(table: HuffmanTable): number {
    if (this.#count < MAX_BITS) this.#fill();
    const found = table.codes[(this.#buffer >>> (this.#count - MAX_BITS)) & 0xffff] ?? 0;
    if (found === 0) return -1;
    this.#count -= found >> 8;
    return found & 0xff;
  }

  /** Reads up to 15 bits. */
  bits(length: number): number {
    if (this.#count < MAX_BITS) this.#fill();
    this.#count -= length;
    return (this.#buffer >>> this.#count) & ((1 << length) - 1);
  }

  skip(length: number): void {
    if (this.#count < MAX_BITS) this.#fill();
    this.#count -= length;
  }

  #fill(): void {
    while (this.#count <= 16) {
      const byte = this.#next();
      if (byte < 0) this.#missing += 8;
      this.#buffer = (this.#buffer << 8) | Math.max(0, byte);
      this.#count += 8;
    }
  }

  /** Reads a byte; -1 at a marker or the end of the file. 0xff followed by zero is data (ITU-T T.81, B.1.1.5). */
  #next(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) return -1;
    if (byte !== 0xff) {
      this.at += 1;
      return byte;
    }
    if (this.bytes[this.at + 1] !== 0) return -1;
    this.at += 2;
    return byte;
  }

  /** Whether the rest of the last byte is filled with ones (ITU-T T.81, F.1.2.3). */
  #isPadded(): boolean {
    const rest = this.#count % 8;
    return ((this.#buffer >>> (this.#count - rest)) & ((1 << rest) - 1)) === (1 << rest) - 1;
  }

  /** Skips the restart marker that must come next. Returns false if it is missing. */
  passRestart(): boolean {
    // Whole bytes that no code has used are an error, because only padding bits may come before the marker.
    if (this.isExhausted || this.#count - this.#missing >= 8) return false;
    let at = this.at;
    while (this.bytes[at] === 0xff && this.bytes[at + 1] === 0xff) at += 1;
    const code = this.bytes[at + 1] ?? 0;
    if (this.bytes[at] !== 0xff || code < FIRST_RESTART || code > FIRST_RESTART + 7) return false;
    this.at = at + 2;
    [this.#buffer, this.#count, this.#missing] = [0, 0, 0];
    return true;
  }

  /**
   * Returns the offset after the last byte that was used; -1 if the scan was truncated and other bytes after it were
   * read as if they belonged to it. This is the case if neither a marker nor the end of the file follows, and the rest
   * of the last byte isn't filled with ones.
   */
  end(): number {
    const unused = (this.#count - this.#missing) >> 3;
    let at = this.at;
    for (let left = unused; left > 0; left -= 1) at -= this.bytes[at - 1] === 0 && this.bytes[at - 2] === 0xff ? 2 : 1;
    return this.#isPadded() || at >= this.bytes.length || this.bytes[at] === 0xff ? at : -1;
  }
}
