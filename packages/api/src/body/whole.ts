import { MAX_WHOLE_BYTES, Refusal } from '@postshelf/domain';
import type { RequestContext } from '../context.ts';
import { type BodySource, type ReadOptions, readBody } from './stream.ts';

/** Whether a request says that its body is small enough to be held whole. */
export function isSmall(request: Pick<Request, 'headers'>): boolean {
  const length = lengthOf(request);
  return length !== null && length <= MAX_WHOLE_BYTES;
}

/** Bytes of the body as the request says; null where it doesn't, or says far more than a small one may have. */
function lengthOf({ headers }: Pick<Request, 'headers'>): number | null {
  const length = headers.get('content-length');
  return length !== null && /^\d{1,7}$/.test(length) ? Number(length) : null;
}

/** As much of a request's context as holding its body whole takes. */
export type WholeBodySource = BodySource & Pick<RequestContext, 'holdBody'>;

/**
 * All of a body that {@link isSmall}, in memory that is given back when the request is answered.
 *
 * @throws Refusal as {@link readBody}; `malformed` where it is longer than any small one
 */
export async function readWhole(source: WholeBodySource, options: ReadOptions = {}): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const expected = lengthOf(source.request);
  // None of it is left to be collected.
  for await (const chunk of readBody(source, { ...options, garbagePerByte: 0 })) {
    source.holdBody(chunk);
    length += chunk.length;
    if (length > MAX_WHOLE_BYTES) throw new Refusal({ code: 'malformed', message: TOO_LONG });
    chunks.push(chunk);
    // That nothing follows needn't be waited for.
    if (length === expected) break;
  }
  const [first] = chunks;
  // Most come in one.
  if (first && chunks.length === 1) return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
  const whole = Buffer.concat(chunks);
  source.holdBody(whole);
  return whole;
}

const TOO_LONG = 'The request body is longer than its Content-Length says.';
