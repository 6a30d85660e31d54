import { Refusal } from '@postshelf/domain';
import type { RequestContext } from '../context.ts';
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

/** The parts of a request's context that holding its body needs. */
export type WholeBodySource = BodySource & Pick<RequestContext, 'holdBody'>;

/**
 * Reads a whole body that {@link isSmall}, into memory that is freed when the request has been answered.
 *
 * @throws Refusal as {@link readBody}; `malformed` if it is longer than any small body
 */
export async function readWhole(source: WholeBodySource, options: ReadOptions = {}): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const expected = lengthOf(source.request);
  // No garbage, as all of the memory is freed at the end.
  for await (const chunk of readBody(source, { ...options, garbagePerByte: 0 })) {
    source.holdBody(chunk);
    length += chunk.length;
    if (length > MAX_WHOLE_BYTES) throw new Refusal({ code: 'malformed', message: TOO_LONG });
    chunks.push(chunk);
    // The end of the body needn't be awaited.
    if (length === expected) break;
  }
  const [first] = chunks;
  // Most bodies come in one chunk.
  if (first && chunks.length === 1) return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
  const whole = Buffer.concat(chunks);
  source.holdBody(whole);
  return whole;
}

const TOO_LONG = 'The request body is longer than its Content-Length says.';
