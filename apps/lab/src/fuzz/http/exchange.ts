import { connect } from 'node:net';
import { within } from '@postshelf/harness';
import { makeBytes } from '../bytes/bytes.ts';
import type { Body, RequestCase } from '../case.ts';
import { type Answer, BadAnswer, readAnswer } from './answer.ts';

/** The outcome of a request. */
export type Outcome =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** The server closed the connection without a complete answer. */
  | { readonly kind: 'closed' }
  /** Nothing arrived in time. */
  | { readonly kind: 'silent' }
  /** The answer isn't valid HTTP. */
  | { readonly kind: 'garbled'; readonly why: string };

export interface Sending {
  readonly port: number;
  /** The method of the request, which determines whether the answer has a body. */
  readonly method: string;
  readonly bytes: Uint8Array;
  /** Milliseconds to wait for the answer without receiving any data. */
  readonly timeout: number;
  /** Whether to close the sending side after all bytes are sent. */
  readonly ends?: boolean;
}

/** Sends bytes on a new connection, reads the first answer, and closes the connection. Never throws. */
export async function exchange({ port, method, bytes, timeout, ends = false }: Sending): Promise<Outcome> {
  const socket = connect({ port, host: '127.0.0.1' });
  const outcome = new Promise<Outcome>((conclude) => {
    const pieces: Buffer[] = [];
    const concludeIfAnswered = (ended: boolean): void => {
      try {
        const answer = readAnswer(Buffer.concat(pieces), method, ended);
        if (answer) conclude({ kind: 'answered', answer });
        else if (ended) conclude({ kind: 'closed' });
      } catch (error) {
        if (!(error instanceof BadAnswer)) throw error;
        conclude({ kind: 'garbled', why: error.message });
      }
    };
    socket.on('connect', () => {
      socket.write(bytes);
      if (ends) socket.end();
    });
    socket.on('data', (piece: Buffer) => {
      pieces.push(piece);
      concludeIfAnswered(false);
    });
    // A connection reset also ends the exchange. An answer that arrived completely before the reset is still returned.
    socket.on('error', () => concludeIfAnswered(true));
    socket.on('close', () => concludeIfAnswered(true));
  });
  const silent = (): Outcome => ({ kind: 'silent' });
  return within('an answer', outcome, timeout)
    .catch(silent)
    .finally(() => socket.destroy());
}

/** Returns the bytes of a request. */
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
  // The body is split into at most a few thousand chunks, even if the requested chunk size would result in more.
  const step = Math.max(size, Math.ceil(bytes.length / 4096), 1);
  for (let offset = 0; offset < bytes.length; offset += step) {
    const piece = bytes.subarray(offset, offset + step);
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}
