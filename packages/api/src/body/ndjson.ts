/** Media types of bodies with one JSON value per line; none of them is registered. */
export const NDJSON = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'] as const;

export interface Line {
  readonly number: number;
  /** Valid until the next line is requested. null for a line above the limit, which was skipped. */
  readonly bytes: Uint8Array | null;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Splits a body at line feeds, with or without a carriage return. Holds no more than one line. The last line may lack
 * its line feed.
 *
 * @param limit most bytes of a line
 */
export async function* readLines(body: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Line> {
  const current = new CurrentLine(limit);
  let number = 0;
  for await (const chunk of body) {
    let start = 0;
    for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, start)) {
      number++;
      yield { number, bytes: withoutCarriageReturn(current.end(chunk.subarray(start, feed))) };
      start = feed + 1;
    }
    current.add(chunk.subarray(start));
  }
  if (current.length > 0) yield { number: number + 1, bytes: withoutCarriageReturn(current.end(new Uint8Array())) };
}

class CurrentLine {
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

  /** The line with a last piece; null if it is too long. */
  end(piece: Uint8Array): Uint8Array | null {
    if (this.length === 0) return piece.length > this.limit ? null : piece;
    this.add(piece);
    const { length } = this;
    this.length = 0;
    return length > this.limit ? null : this.#buffer.subarray(0, length);
  }

  #grow(length: number): void {
    const grown = new Uint8Array(Math.min(this.limit, Math.max(length, 2 * this.#buffer.length)));
    grown.set(this.#buffer.subarray(0, this.length));
    this.#buffer = grown;
  }
}

const withoutCarriageReturn = (bytes: Uint8Array | null): Uint8Array | null =>
  bytes?.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes;
