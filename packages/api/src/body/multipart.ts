import { type Body, Refusal } from '@postshelf/domain';
import busboy from 'busboy';
import { withoutEpilogue } from './multipart-end.ts';
import { plainBoundaryOf, splitPlainForm } from './plain-form.ts';
import { type ReadOptions, readBody } from './stream.ts';
import { isSmall, readWhole, type WholeBodySource } from './whole.ts';

/** One part of a multipart body (RFC 7578 section 4.2), in the order of the wire. */
export type Part =
  | { readonly kind: 'field'; readonly name: string; readonly value: string }
  /** `body`, where it comes in chunks, must be read to its end before the next part comes. */
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly fileName: string;
      readonly body: Body;
    };

/**
 * Bytes of a field's value, the rest of which is dropped, and number of parts; far above what an upload needs. A part's
 * headers are limited by busboy itself, to 16 KB.
 */
const LIMITS = { fieldSize: 64 * 1024, parts: 100 } as const;

/**
 * The parts of a `multipart/form-data` body: of a small one, which is held whole, as bytes at hand; of any other with memory
 * bounded by a chunk and {@link LIMITS}.
 *
 * @throws Refusal `malformed` for a missing boundary, broken framing, a part without a name, a body that ends early or too
 *   many parts; what {@link readBody} throws
 */
export async function* readMultipart(
  source: WholeBodySource,
  options: Pick<ReadOptions, 'refused'> = {},
): AsyncGenerator<Part> {
  const contentType = source.request.headers.get('content-type') ?? '';
  const boundary = isSmall(source.request) ? plainBoundaryOf(contentType) : null;
  if (boundary === null) {
    yield* streamParts(contentType, (stop) => readBody(source, { ...options, stop }));
    return;
  }
  const form = await readWhole(source, options);
  yield* splitPlainForm(form, boundary) ?? streamParts(contentType, () => once(form));
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** @param body gives the bytes, until the signal is aborted */
async function* streamParts(
  contentType: string,
  body: (stop: AbortSignal) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Part> {
  const parser = createParser(contentType);
  const queue = new PartQueue();
  // Whatever their types say, busboy gives undefined for a name that is missing and for a value that it can't decode.
  parser.on('field', (name: string | undefined, value: string | undefined) => {
    if (name === undefined || value === undefined) queue.fail(malformed(MALFORMED));
    else queue.push({ kind: 'field', name, value });
  });
  parser.on('file', (name: string | undefined, stream, { filename }) => {
    // An error reaches the stream's reader; where there is none (any more), it must not become uncaught.
    stream.on('error', () => undefined);
    if (name === undefined) queue.fail(malformed(MALFORMED));
    else queue.push({ kind: 'file', name, fileName: filename ?? '', body: translated(stream) });
  });
  parser.on('partsLimit', () => queue.fail(malformed('The request has too many parts.')));
  parser.on('error', (cause) => queue.fail(asRefusal(cause)));
  parser.on('close', () => queue.end());
  const stop = new AbortController();
  const fed = feed(parser, withoutEpilogue(body(stop.signal), contentType));
  try {
    yield* queue.drain();
  } finally {
    parser.destroy();
    stop.abort();
    await fed;
  }
}

/** Gives the parser one chunk after the other, the next when it has handed on the last; ends it or breaks it. Never throws. */
async function feed(parser: busboy.Busboy, body: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const chunk of body) {
      await written(parser, chunk);
      if (parser.destroyed) return;
    }
    parser.end();
  } catch (cause) {
    parser.destroy(cause instanceof Error ? cause : new Error(String(cause)));
  }
}

/** Resolves when the parser has handed on the chunk, or will never. */
function written(parser: busboy.Busboy, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    parser.once('close', resolve);
    parser.write(chunk, () => {
      parser.off('close', resolve);
      resolve();
    });
  });
}

function createParser(contentType: string): busboy.Busboy {
  // No boundary has one (RFC 2046 section 5.1.1), and parsers disagree about what it would escape in it.
  if (contentType.includes('\\')) throw malformed(NO_BOUNDARY);
  try {
    return busboy({ headers: { 'content-type': contentType }, limits: LIMITS, defParamCharset: 'utf8' });
  } catch (cause) {
    throw malformed(NO_BOUNDARY, cause);
  }
}

async function* translated(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (cause) {
    throw asRefusal(cause);
  }
}

const malformed = (message: string, cause?: unknown): Refusal => new Refusal({ code: 'malformed', message }, { cause });

const MALFORMED = 'The multipart body is malformed.';
const NO_BOUNDARY = 'The multipart body has no valid boundary.';

const asRefusal = (cause: unknown): Refusal => (cause instanceof Refusal ? cause : malformed(MALFORMED, cause));

/** Parts wait here for their reader; the parser stops at an unread file, so that few do. */
class PartQueue {
  readonly #parts: Part[] = [];
  #error: Refusal | null = null;
  #ended = false;
  #wake: () => void = () => undefined;

  push(part: Part): void {
    this.#parts.push(part);
    this.#wake();
  }

  fail(error: Refusal): void {
    this.#error ??= error;
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *drain(): AsyncGenerator<Part> {
    for (;;) {
      if (this.#error) throw this.#error;
      const part = this.#parts.shift();
      if (part) {
        yield part;
        continue;
      }
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
