import { type IncomingMessage, request } from 'node:http';
import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import type { HttpResponse } from './response.ts';

/**
 * Lets the platform's HTTP client read the response to a request that was already sent, so that its parser decides what
 * is valid.
 *
 * @throws what the client throws if there is no response
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
    // The connection ended without an error and without a response.
    client.on('close', () => reject(failure ?? new Error('The connection was closed.')));
    client.end();
  });
}

/**
 * Chunks below this size make the reader yield to the event loop. Node's parser passes on all tiny chunks of a packet
 * in one turn, and some thousands of them would delay everything else. A packet has few larger ones.
 */
const YIELD_BELOW = 512;

/**
 * The connection as the client sees it: it can read from the response's first byte on, and its own request isn't sent.
 */
class Answer extends Duplex {
  constructor(private readonly connection: Connection) {
    super();
  }

  override _read(): void {
    this.connection.read().then(
      (chunk) => {
        // The stream reads ahead, so the memory must stay valid.
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
 * Node treats a body without a length (RFC 9112 section 6.3) as complete even if the connection was reset, but not one
 * with a known length. Bytes after the end of a body don't belong to it.
 */
async function* bodyOf(
  response: IncomingMessage,
  onGarbage: (bytes: number) => void,
  failure: () => Error | null,
): AsyncGenerator<Uint8Array, undefined> {
  for await (const chunk of response) {
    // The bytes that arrived, and the parser's copy of them.
    onGarbage(2 * chunk.length);
    yield chunk;
    if (chunk.length < YIELD_BELOW) await nextTurn();
  }
  const isDelimited = 'content-length' in response.headers || 'transfer-encoding' in response.headers;
  const broken = failure();
  if (!isDelimited && broken) throw broken;
}
