import { afterEach, describe, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { IncomingBody } from '../../src/body/incoming-body.ts';
import { LINGERING, Lingering, type LingeringLimits } from '../../src/body/lingering.ts';
import { createService } from '../../src/service.ts';
import { startApi } from '../support/service.ts';

const KIB = 1024;
/** Limits that are high enough for the buffers of loopback connections not to influence the tests. */
const LIMITS: LingeringLimits = { ...LINGERING, bytes: 8 * KIB * KIB, pause: 20 };
/** More milliseconds than any of these tests waits. */
const HOURS = 10_000_000;

const open: Disposable[] = [];

afterEach(() => {
  for (const each of open.splice(0)) each[Symbol.dispose]();
});

/**
 * Starts a server that refuses each request before it has read the body. Requests to `/late` are refused only after
 * their client has disconnected.
 */
async function startRefusing(limits: Partial<LingeringLimits> = {}) {
  const { service } = await startApi();
  const lingering = new Lingering({ ...LIMITS, ...limits });
  const shares = createService(service);
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    async fetch(request) {
      if (request.url.endsWith('/late')) await abortOf(request.signal);
      const body = new IncomingBody(shares, { facts: { request, address: null }, holder: null, bytesIn: 0 });
      return lingering.answer(Response.json({ message: 'No.' }, { status: 404 }), body);
    },
  });
  open.push({ [Symbol.dispose]: () => void server.stop(true) });
  return { port: server.port ?? 0, lingering, server };
}

const abortOf = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

const eventOf = (socket: Socket, ...names: readonly string[]): Promise<void> =>
  new Promise((resolve) => {
    for (const name of names) socket.once(name, () => resolve());
  });

/** Connects a client that sends the head of a request and records what it receives. */
async function send(
  port: number,
  header: string,
  path = '/',
): Promise<{ socket: Socket; received(): string; closed: Promise<void> }> {
  const socket = connect(port, '127.0.0.1');
  open.push({ [Symbol.dispose]: () => socket.destroy() });
  let received = '';
  socket.on('data', (bytes: Buffer) => {
    received += bytes.toString('latin1');
  });
  socket.on('error', () => socket.destroy());
  const closed = eventOf(socket, 'close');
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`);
  return { socket, received: () => received, closed };
}

const CHUNKED = 'Transfer-Encoding: chunked';
const ENDED = '0\r\n\r\n';
const chunk = (bytes: number): string => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;

/**
 * Sends up to `max` chunks, as fast as the server takes them, until the connection is closed.
 *
 * @returns the number of chunks
 */
async function sendChunks({ socket }: { readonly socket: Socket }, size: number, max: number): Promise<number> {
  const bytes = chunk(size);
  let count = 0;
  while (count < max && !socket.destroyed) {
    count += 1;
    if (!socket.write(bytes)) await eventOf(socket, 'drain', 'close');
  }
  return count;
}

const untilReceived = async (client: { readonly socket: Socket; received(): string }, end: string): Promise<void> => {
  while (!client.received().endsWith(end)) await eventOf(client.socket, 'data');
};

const MESSAGE = '{"message":"No."}\r\n';

describe('a response sent before the end of a chunked body', () => {
  test('is sent immediately, ends when the body ends, and closes the connection', async () => {
    const { port } = await startRefusing();
    const client = await send(port, CHUNKED);
    await untilReceived(client, MESSAGE);
    expect(client.received()).toContain('HTTP/1.1 404 Not Found\r\n');
    expect(client.received().toLowerCase()).toContain('\r\nconnection: close\r\n');
    await sendChunks(client, 64 * KIB, 20);
    expect(client.received()).toEndWith(MESSAGE);
    client.socket.write(ENDED);
    await client.closed;
    expect(client.received()).toEndWith(MESSAGE + ENDED);
  });

  test('is an ordinary response if the whole body arrived with the head', async () => {
    const { port } = await startRefusing();
    const client = await send(port, `${CHUNKED}\r\n\r\n${chunk(10)}${ENDED.slice(0, -4)}`);
    await untilReceived(client, '\r\n\r\n{"message":"No."}');
    expect(client.received().toLowerCase()).not.toContain('\r\nconnection: close\r\n');
  });

  test('ends at the limit of body bytes, and the client still receives the whole response', async () => {
    const { port } = await startRefusing();
    const client = await send(port, CHUNKED);
    const chunks = await sendChunks(client, 64 * KIB, 10_000);
    await client.closed;
    expect(client.received()).toEndWith(MESSAGE + ENDED);
    expect(chunks * 64 * KIB).toBeGreaterThan(LIMITS.bytes);
    expect(chunks).toBeLessThan(10_000);
  });

  test.each<[string, Partial<LingeringLimits>]>([
    ['sends nothing for a while', { quiet: 20 }],
    ['sends for too long', { time: 20, quiet: 20 * HOURS }],
  ])('ends when the client %s', async (_, limits) => {
    const { port } = await startRefusing(limits);
    const client = await send(port, CHUNKED);
    client.socket.write(chunk(100));
    await client.closed;
    expect(client.received()).toEndWith(MESSAGE + ENDED);
  });

  test('ends immediately when the client sends one-byte chunks', async () => {
    const { port } = await startRefusing({ quiet: HOURS });
    const client = await send(port, CHUNKED);
    client.socket.write(chunk(1).repeat(100));
    await client.closed;
    expect(client.received()).toContain('HTTP/1.1 404 Not Found\r\n');
  });

  test('waits for a body of 3,000 lines, each in its own chunk', async () => {
    const { port } = await startRefusing({ quiet: HOURS });
    const client = await send(port, CHUNKED);
    await sendChunks(client, 200, 3000);
    client.socket.write(ENDED);
    await client.closed;
    expect(client.received()).toEndWith(MESSAGE + ENDED);
  });

  test('waits on a limited number of connections; further ones are closed once answered', async () => {
    const { port } = await startRefusing({ connections: 2, quiet: HOURS });
    const waiting = [await send(port, CHUNKED), await send(port, CHUNKED)];
    for (const client of waiting) await untilReceived(client, MESSAGE);
    const next = await send(port, CHUNKED);
    await next.closed;
    expect(next.received()).toEndWith('\r\n\r\n{"message":"No."}');
    // A connection that ends makes room for another.
    const [first] = waiting;
    first?.socket.write(ENDED);
    await first?.closed;
    await untilReceived(await send(port, CHUNKED), MESSAGE);
  });

  test('waits on many connections only while their bodies stay within a shared rate', async () => {
    const { port } = await startRefusing({ few: 1, rate: KIB, quiet: HOURS });
    const first = await send(port, CHUNKED);
    await untilReceived(first, MESSAGE);
    const second = await send(port, CHUNKED);
    await sendChunks(second, 64 * KIB, 10_000);
    await second.closed;
    expect(second.received()).toContain('HTTP/1.1 404 Not Found\r\n');
  });

  test('ends when the service is about to stop, and later responses do not wait', async () => {
    const { port, lingering } = await startRefusing({ quiet: HOURS });
    const client = await send(port, CHUNKED);
    await untilReceived(client, MESSAGE);
    lingering.end();
    await client.closed;
    expect(client.received()).toEndWith(MESSAGE + ENDED);
    const late = await send(port, CHUNKED);
    await late.closed;
    expect(late.received()).toEndWith('\r\n\r\n{"message":"No."}');
  });

  test('leaves no pending request when the client disconnects', async () => {
    const { port, server } = await startRefusing({ quiet: HOURS });
    const client = await send(port, CHUNKED);
    await untilReceived(client, MESSAGE);
    client.socket.destroy();
    while (server.pendingRequests > 0) await Bun.sleep(1);
    expect(server.pendingRequests).toBe(0);
  });

  test('takes no connection when the client disconnects before the response', async () => {
    const { port, server } = await startRefusing({ connections: 1, quiet: HOURS });
    const late = await send(port, CHUNKED, '/late');
    while (server.pendingRequests === 0) await Bun.sleep(1);
    late.socket.destroy();
    while (server.pendingRequests > 0) await Bun.sleep(1);
    const client = await send(port, CHUNKED);
    await untilReceived(client, MESSAGE);
    expect(client.received()).toEndWith(MESSAGE);
  });
});

describe('a response sent before the end of a body of known length', () => {
  test('is complete immediately and keeps the connection for a body of up to 64 MB', async () => {
    const { port } = await startRefusing();
    const client = await send(port, `Content-Length: ${64 * KIB * KIB}`);
    await untilReceived(client, '\r\n\r\n{"message":"No."}');
    expect(client.received().toLowerCase()).toContain('\r\ncontent-length: 17\r\n');
    expect(client.received().toLowerCase()).not.toContain('\r\nconnection: close\r\n');
  });

  test.each(['close', 'Close', 'TE, close'])(
    'ends when the body ends if the client sent "Connection: %s"',
    async (value) => {
      const { port } = await startRefusing({ quiet: HOURS });
      const client = await send(port, `Connection: ${value}\r\nContent-Length: ${8 * KIB * KIB}`);
      await untilReceived(client, MESSAGE);
      for (let piece = 0; piece < 8 * KIB; piece += 1) client.socket.write('x'.repeat(KIB));
      await client.closed;
      expect(client.received()).toEndWith(MESSAGE + ENDED);
    },
  );

  test('is an ordinary response to "Connection: close" if the whole body arrived with the head', async () => {
    const { port } = await startRefusing();
    const client = await send(port, 'Connection: close\r\nContent-Length: 3\r\n\r\nabc');
    await client.closed;
    expect(client.received()).toEndWith('\r\n\r\n{"message":"No."}');
  });

  test('waits for the rest of a body above 64 MB, within the limits', async () => {
    const { port } = await startRefusing({ quiet: 20 });
    const client = await send(port, `Content-Length: ${64 * KIB * KIB + 1}`);
    client.socket.write('x');
    await client.closed;
    expect(client.received()).toEndWith(MESSAGE + ENDED);
  });
});
