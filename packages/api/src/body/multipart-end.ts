import { MIMEType } from 'node:util';

/**
 * A multipart body as far as its closing delimiter. The epilogue behind it is read and dropped (RFC 2046 section
 * 5.1.1): busboy would look for more parts in it as long as the chunk lasts, and wait for ever for the end of a file that
 * it finds there.
 *
 * @param contentType one that busboy takes: of these it and the platform read the same boundary
 */
export function withoutEpilogue(body: AsyncIterable<Uint8Array>, contentType: string): AsyncIterable<Uint8Array> {
  const boundary = new MIMEType(contentType).params.get('boundary');
  return boundary === null ? body : upTo(Buffer.from(`\r\n--${boundary}--`), body);
}

async function* upTo(delimiter: Buffer, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // What came last, as a delimiter may come in pieces. The first one of a body needs no line before it.
  let before = Buffer.from('\r\n');
  let isOver = false;
  for await (const chunk of body) {
    if (isOver) continue;
    const end = endOf(delimiter, before, chunk);
    isOver = end !== null;
    yield end === null ? chunk : chunk.subarray(0, end);
    before = lastOf(before, chunk, delimiter.length - 1);
  }
}

/** Where in the chunk the delimiter ends; null where it doesn't. */
function endOf(delimiter: Buffer, before: Buffer, chunk: Uint8Array): number | null {
  const seam = Buffer.concat([before, chunk.subarray(0, delimiter.length - 1)]);
  const across = seam.indexOf(delimiter);
  if (across >= 0) return across + delimiter.length - before.length;
  const inside = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).indexOf(delimiter);
  return inside < 0 ? null : inside + delimiter.length;
}

function lastOf(before: Buffer, chunk: Uint8Array, length: number): Buffer<ArrayBuffer> {
  const all = chunk.length >= length ? chunk : Buffer.concat([before, chunk]);
  // A copy: the chunk is the parser's from now on.
  return Buffer.from(all.subarray(Math.max(0, all.length - length)));
}
