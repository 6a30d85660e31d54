import { DelimitedBytes, MissingDelimiter } from './delimited.ts';
import {
  EMPTY_LINE,
  END_OF_FORM,
  MAX_FIELD_BYTES,
  malformed,
  malformedForm,
  type Part,
  PartHeads,
  unfolded,
} from './part-head.ts';
import { type BodySource, type ReadOptions, readBody } from './stream.ts';

/**
 * Maximum bytes of a part's headers, and maximum number of delimiters in a body. Both are far more than an upload
 * needs.
 */
const LIMITS = { head: 16 * 1024, delimiters: 100 } as const;

const CRLF = Buffer.from('\r\n');

/**
 * Yields the parts of a `multipart/form-data` body (RFC 2046 section 5.1.1). Holds only one chunk in memory, and
 * what {@link LIMITS} allows.
 *
 * @throws Refusal `malformed` for a missing boundary, broken framing, too many parts, a part that isn't form data or
 *   has no name, and a body that ends early; whatever {@link readBody} throws
 */
export async function* readMultipart(
  source: BodySource,
  options: Pick<ReadOptions, 'caller'> = {},
): AsyncGenerator<Part> {
  const heads = new PartHeads(source.request.headers.get('content-type') ?? '');
  const stop = new AbortController();
  const body = readBody(source, { ...options, stop: stop.signal, lent: true });
  try {
    yield* partsOf(new DelimitedBytes(body), heads);
  } catch (cause) {
    throw asRefusal(cause);
  } finally {
    // This ends the reading of the body, even if it is waiting for the client.
    stop.abort();
    await body.return(undefined);
  }
}

async function* partsOf(bytes: DelimitedBytes, heads: PartHeads): AsyncGenerator<Part> {
  const { delimiter } = heads;
  // The first delimiter needs no line end before it, and usually has none.
  const isFirst = await bytes.skip(delimiter.subarray(CRLF.length));
  if (!isFirst) await new Content(bytes, delimiter).drop();
  for (let delimiters = 1; ; delimiters++) {
    if (delimiters > LIMITS.delimiters) throw malformed('The request has too many parts.');
    const next = await bytes.take(CRLF.length);
    if (next.equals(END_OF_FORM)) return bytes.drop();
    if (!next.equals(CRLF)) throw malformedForm();
    // The head is copied, because more bytes are requested before it is read again.
    const lines = Buffer.from(await bytes.upTo(EMPTY_LINE, LIMITS.head));
    // Without its empty line, a head would extend into the next part.
    if (lines.includes(delimiter)) throw malformedForm();
    const head = unfolded(lines);
    await bytes.take(CRLF.length);
    const content = new Content(bytes, delimiter, CRLF.length);
    const read = heads.read(head);
    if (read.kind === 'file') yield { ...read, body: content };
    else yield { ...read, value: heads.valueOf(head, await content.collect(MAX_FIELD_BYTES)) };
    await content.drop();
  }
}

/** The content of one part, up to its delimiter. Each reader continues where the previous one stopped. */
class Content implements AsyncIterableIterator<Uint8Array> {
  #isOver = false;

  /**
   * @param before the number of bytes before the content: the CRLF of the empty line, with which a delimiter may begin
   */
  constructor(
    private readonly bytes: DelimitedBytes,
    private readonly delimiter: Buffer,
    private before = 0,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const piece = await this.#piece();
    return piece === null ? { done: true, value: undefined } : { done: false, value: piece };
  }

  async collect(max: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let left = max;
    for (let piece = await this.#piece(); piece !== null; piece = await this.#piece()) {
      if (left === 0) continue;
      pieces.push(Buffer.from(piece.subarray(0, left)));
      left = Math.max(0, left - piece.length);
    }
    return Buffer.concat(pieces);
  }

  async drop(): Promise<void> {
    while ((await this.#piece()) !== null);
  }

  async #piece(): Promise<Buffer | null> {
    if (this.#isOver) return null;
    try {
      let piece = await this.bytes.before(this.delimiter);
      if (this.before > 0) {
        // The delimiter begins with the CRLF of the empty line, so the head isn't complete.
        if (piece === null) throw malformedForm();
        const own = piece.subarray(this.before);
        this.before = 0;
        piece = own.length > 0 ? own : await this.bytes.before(this.delimiter);
      }
      this.#isOver = piece === null;
      return piece;
    } catch (cause) {
      throw asRefusal(cause);
    }
  }
}

const asRefusal = (cause: unknown): unknown => (cause instanceof MissingDelimiter ? malformedForm(cause) : cause);
