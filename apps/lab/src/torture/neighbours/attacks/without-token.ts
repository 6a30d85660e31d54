import { connect } from 'node:net';
import { SlowClient } from '@postshelf/harness/slow-client';
import type { Attack } from './attack.ts';
import { keepOpen, over } from './requests.ts';

const HEADS = 10_000;
const HEAD = `GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Filling: ${'x'.repeat(60_000)}`;

/** Sends requests whose head never ends. */
export const unfinishedHeads: Attack = {
  name: 'unfinished-heads',
  about: `${HEADS} connections with 60 KB of a head that doesn't end, each replaced when it is closed`,
  surroundings: { descriptors: 65_536 },
  prepare:
    async ({ port }) =>
    (signal) =>
      keepOpen(HEADS, signal, () => SlowClient.open(port, HEAD)),
};

const FEW = 10;
/**
 * Number of connections. After an early answer, the service still reads the rest of the body, but only on a limited
 * number of connections. This number exceeds that limit.
 */
const MANY = 300;

const PIECES = Buffer.alloc(1000, 'x');
const chunks = (size: number, count: number): Buffer =>
  Buffer.from(`${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`.repeat(count));

/** Sends a head, and then repeats the same bytes until the connection is closed. */
function send(port: number, head: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const end = (): void => void socket.destroy();
    signal.addEventListener('abort', end, { once: true });
    const more = (): void => {
      while (!socket.destroyed && socket.write(bytes));
    };
    socket.on('connect', () => {
      socket.write(head);
      more();
    });
    socket.on('drain', more);
    socket.on('data', () => undefined);
    socket.on('error', end);
    socket.on('close', () => {
      signal.removeEventListener('abort', end);
      resolve();
    });
  });
}

const unread = (name: string, senders: number, about: string, header: string, bytes: Uint8Array): Attack => ({
  name,
  about: `${senders} connections to an unknown path that continue after their 404, ${about}, each replaced when it is closed`,
  prepare:
    async ({ port }) =>
    async (signal) => {
      const head = `POST /unknown HTTP/1.1\r\nHost: 127.0.0.1\r\n${header}\r\n\r\n`;
      const lane = async (): Promise<void> => {
        while (!signal.aborted) await send(port, head, bytes, signal);
      };
      await Promise.race([over(signal), Promise.all(Array.from({ length: senders }, lane))]);
      return [];
    },
});

const CHUNKED = 'Transfer-Encoding: chunked';

/** Attacks that send bodies after the service has already answered with a refusal. */
export const unreadChunks = unread('unread-chunks', FEW, 'with chunks of a byte', CHUNKED, chunks(1, 1000));
export const unreadLines = unread('unread-lines', FEW, 'with chunks of 100 bytes', CHUNKED, chunks(100, 100));
export const unreadPieces = unread('unread-pieces', MANY, 'with chunks of 64 KB', CHUNKED, chunks(65_536, 1));
export const unreadBytes = unread('unread-bytes', FEW, 'with 1 TB announced', 'Content-Length: 1000000000000', PIECES);
