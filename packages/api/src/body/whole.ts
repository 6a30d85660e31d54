import { Refusal } from '@postshelf/domain';
import { type BodySource, type ReadOptions, readBody } from './stream.ts';

/** Bytes up to which a body is held whole, 1 MB: as many as Bun receives of a request in any case before it is read. */
const MAX_WHOLE_BYTES = 1024 * 1024;

/** Whether the announced length of a body is small enough to hold it in memory as a whole. */
export function isSmall(request: Pick<Request, 'headers'>): boolean {
  const length = lengthOf(request);
  return length !== null && length <= MAX_WHOLE_BYTES;
}

/** The announced length of the body; null if there is none, or if it is far above that of a small body. */
function lengthOf({ headers }: Pick<Request, 'headers'>): number | null {
  const length = headers.get('content-length');
  return length !== null && /^\d{1,7}$/.test(length) ? Number(length) : null;
}

/**
 * Reads a whole body that {@link isSmall} into memory.
 *
 * @throws Refusal as {@link readBody}; `malformed` if it is longer than any small body
 */
export async function readWhole(source: BodySource, options: ReadOptions = {}): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const expected = lengthOf(source.request);
  for await (const chunk of readBody(source, options)) {
    length += chunk.length;
    if (length > MAX_WHOLE_BYTES) throw new Refusal({ code: 'malformed', message: TOO_LONG });
    chunks.push(chunk);
    // The end of the body needn't be awaited.
    if (length === expected) break;
  }
  const [first] = chunks;
  // Most bodies come in one chunk.
  if (first && chunks.length === 1) return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
  return Buffer.concat(chunks);
}

const TOO_LONG = 'The request body is longer than its Content-Length says.';
