import { type IncomingMessage, request } from 'node:http';
import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import type { HttpResponse } from './response.ts';

/**
 * Lets the platform's HTTP client take an answer whose request has been sent, so that its parser says what is valid.
 *
 * @throws what the client throws when there is no answer
 */
export function parseResponse(
  connection: Connection,
  { maxHeaderSize, onGarbage }: { readonly maxHeaderSize: number; readonly onGarbage: (bytes: number) => void },
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let failure: Error | null = null;
    const client = request({ createConnection: () => new Answer(connection), maxHeaderSize });
    const answer = (response: IncomingMessage): void => {
      const { statusCode: status = 0, headers } = response;
      resolve({ status, headers, body: bodyOf(response, onGarbage, () => failure), close: () => connection.close() });
    };
    client.on('response', answer);
    client.on('upgrade', (response, socket) => {
      socket.destroy();
      answer(response);
    });
    client.on('error', (error) => {
      failure = error;
      reject(error);
    });
    // Where the connection ended without an error and without an answer.
    client.on('close', () => reject(failure ?? new Error('The connection was closed.')));
    client.end();
  });
}

/**
 * Bytes of a chunk below which the reader yields to the event loop: Node's parser hands on all tiny chunks of a packet in one turn,
 * and some thousands of them would keep everybody waiting. Larger ones are few in a packet.
 */
const YIELD_BELOW = 512;

/** The connection as the client sees it: from the answer's first byte on, and its own request goes nowhere. */
class Answer extends Duplex {
  constructor(private readonly connection: Connection) {
    super();
  }

  override _read(): void {
    this.connection.read().then(
      (chunk) => {
        // The stream reads ahead.
        this.connection.keep();
        this.push(chunk);
      },
      (error) => this.destroy(error),
    );
  }

  override _write(_chunk: unknown, _encoding: unknown, done: () => void): void {
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.connection.close();
    done(error);
  }
}

/**
 * A body that only the connection's end marks (RFC 9112 section 6.3) is whole to Node even when the connection was
 * reset. One of a known length is not, and what comes after its end is none of it.
 */
async function* bodyOf(
  response: IncomingMessage,
  onGarbage: (bytes: number) => void,
  failure: () => Error | null,
): AsyncGenerator<Uint8Array, undefined> {
  for await (const chunk of response) {
    // What came, and what the parser made of it.
    onGarbage(2 * chunk.length);
    yield chunk;
    if (chunk.length < YIELD_BELOW) await nextTurn();
  }
  const isDelimited = 'content-length' in response.headers || 'transfer-encoding' in response.headers;
  const broken = failure();
  if (!isDelimited && broken) throw broken;
}
