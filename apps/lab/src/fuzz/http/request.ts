import { makeBytes } from '../bytes/bytes.ts';
import type { Body, RequestCase } from '../case.ts';

/** The bytes of a request. */
export function requestBytes(request: RequestCase, fill: (text: string) => string): Uint8Array {
  const { method, target, lines, body } = request;
  const bytes = body ? makeBytes(body.bytes, fill) : new Uint8Array();
  const head = [`${method} ${target} HTTP/1.1`, ...lines, ...framingOf(body, bytes.length)].map(fill);
  const content = body && typeof body.framing === 'object' && 'chunk' in body.framing;
  return Buffer.concat([
    Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'),
    content ? chunked(bytes, body.framing.chunk) : bytes,
  ]);
}

function framingOf(body: Body | undefined, length: number): readonly string[] {
  if (!body) return [];
  if (body.framing === 'length') return [`Content-Length: ${length}`];
  return 'chunk' in body.framing ? ['Transfer-Encoding: chunked'] : [`Content-Length: ${body.framing.claimed}`];
}

/** Encodes bytes in chunks (RFC 9112 section 7.1). */
function chunked(bytes: Uint8Array, size: number): Uint8Array {
  const parts: Uint8Array[] = [];
  // At most a few thousand chunks, however small they should be.
  const step = Math.max(size, Math.ceil(bytes.length / 4096), 1);
  for (let offset = 0; offset < bytes.length; offset += step) {
    const piece = bytes.subarray(offset, offset + step);
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}
