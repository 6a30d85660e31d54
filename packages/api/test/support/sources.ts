import type { BodySource } from '../../src/body/stream.ts';
import type { BodyTimeouts } from '../../src/service.ts';

/** A client whose body the test sends step by step. */
export interface Client {
  readonly request: Request;
  send(bytes: Uint8Array | string): void;
  end(): void;
  /** Breaks the connection. */
  hangUp(): void;
  /** Whether the server has cancelled the body. */
  readonly isTurnedAway: boolean;
  /** The number of times that the server asked for more. */
  readonly asked: number;
}

const bytesOf = (bytes: Uint8Array | string): Uint8Array =>
  typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;

export const requestOf = (
  body: ReadableStream<Uint8Array> | null,
  headers: Readonly<Record<string, string>>,
): Request => new Request('https://shelf.example/', { method: 'POST', headers, body, ...(body && { duplex: 'half' }) });

export function connect(headers: Readonly<Record<string, string>> = {}): Client {
  let isTurnedAway = false;
  let asked = 0;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (own) => {
        controller = own;
      },
      pull: () => {
        asked += 1;
      },
      cancel: () => {
        isTurnedAway = true;
      },
    },
    { highWaterMark: 0 },
  );
  return {
    request: requestOf(body, headers),
    send: (bytes) => controller?.enqueue(bytesOf(bytes)),
    end: () => controller?.close(),
    hangUp: () => controller?.error(new Error('The connection was reset.')),
    get isTurnedAway() {
      return isTurnedAway;
    },
    get asked() {
      return asked;
    },
  };
}

/** Returns a request whose body arrives in these chunks. */
export function sent(
  chunks: readonly (Uint8Array | string)[],
  headers: Readonly<Record<string, string>> = {},
): Request {
  const left = chunks.map(bytesOf);
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = left.shift();
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return requestOf(body, headers);
}

/**
 * Cuts bytes at these positions, which may be in any order, and may even be beyond the end. Each chunk has its own
 * memory, like most of Bun's chunks.
 */
export function cutAt(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const ends = [...places.map((place) => Math.min(place, bytes.length)), bytes.length].sort((a, b) => a - b);
  return ends
    .map((end, index) => new Uint8Array(bytes.subarray(ends[index - 1] ?? 0, end)))
    .filter((chunk) => chunk.length > 0);
}

/** Returns a request as the readers of its body see it. */
export const bodyOf = (
  request: Request,
  timeouts: BodyTimeouts,
  received: BodySource['received'] = () => undefined,
): BodySource => {
  const reader = request.body?.getReader() ?? null;
  return {
    request,
    timeouts,
    received,
    begin: () => reader,
    end: () => undefined,
    leave: () => void reader?.cancel().catch(() => undefined),
    hold: () => undefined,
  };
};
