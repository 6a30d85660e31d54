import { describe, expect, test } from 'bun:test';
import { request } from 'node:http';
import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { readPlainHead } from '../../src/imports/plain-head.ts';

const FIELDS = ['content-length', 'location', 'content-encoding', 'transfer-encoding'] as const;

/** The status and fields that the platform's parser finds; null if it calls the response invalid. */
function parsed(bytes: Buffer): Promise<{ readonly status: number; readonly fields: readonly unknown[] } | null> {
  const connection = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  return new Promise((resolve) => {
    const client = request({ createConnection: () => connection });
    client.on('response', (response) => {
      response.on('error', () => undefined);
      resolve({ status: response.statusCode ?? 0, fields: FIELDS.map((name) => response.headers[name]) });
      client.destroy();
    });
    client.on('upgrade', () => resolve(null));
    client.on('error', () => resolve(null));
    client.on('close', () => resolve(null));
    client.end();
    connection.push(bytes);
    connection.push(null);
  });
}

const LINES = [
  'Content-Length: 3',
  'content-length:\t003 ',
  'Location: /a b',
  'Location:  \t',
  'Content-Encoding: gzip',
  'content-encoding:identity',
  'Transfer-Encoding: chunked',
  'Upgrade: h2',
  'Connection: upgrade, close',
  'Content-Type: image/jpeg; a="\u00e9"',
  'ETag: "a:b"',
  '__proto__: x',
];
const STATUS_LINES = [
  'HTTP/1.1 200 OK',
  'HTTP/1.1 302 ',
  'HTTP/1.1 503 No',
  'HTTP/1.0 200 OK',
  'HTTP/1.1 100 Continue',
];
/** Bytes that a head must not have, or only in some places. */
const NASTY = ['\r', '\n', '\r\n', '\r\n ', '\0', '\x7f', '\x80', ' ', '\t', ':', ',', '-', '+', '1', 'x', '(', '\x0b'];

const someHead = fc
  .record({
    statusLine: fc.constantFrom(...STATUS_LINES),
    lines: fc.array(fc.constantFrom(...LINES), { maxLength: 5 }),
    damage: fc.array(
      fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), out: fc.nat(1), put: fc.constantFrom('', ...NASTY) }),
      { maxLength: 2 },
    ),
  })
  .map(({ statusLine, lines, damage }) => {
    let text = `${[statusLine, 'Content-Length: 3', ...lines].join('\r\n')}\r\n\r\nabc`;
    for (const { at, out, put } of damage) {
      const index = Math.floor(at * text.length);
      text = text.slice(0, index) + put + text.slice(index + out);
    }
    return Buffer.from(text, 'latin1');
  });

describe('a plain head', () => {
  test('is read as Node reads it, and only if Node accepts it', async () => {
    let read = 0;
    await fc.assert(
      fc.asyncProperty(someHead, async (bytes) => {
        const head = readPlainHead(bytes);
        if (head === null) return;
        read += 1;
        const { status, headers } = head;
        expect({ status, fields: FIELDS.map((name) => headers[name]?.trimEnd()) }).toEqual(
          (await parsed(bytes)) as never,
        );
      }),
      { numRuns: 3000 },
    );
    expect(read).toBeGreaterThan(100);
  });

  test.each([
    ['is whole', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nETag: "é"\r\n\r\nabc', true],
    ['is a redirect', 'HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n', true],
    ['is not all there', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n', false],
    ['is of HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\n', false],
    ['announces another head', 'HTTP/1.1 103 Hints\r\nContent-Length: 3\r\n\r\n', false],
    ['says no length', 'HTTP/1.1 200 OK\r\n\r\n', false],
    ['says two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\ncontent-length: 3\r\n\r\n', false],
    ['says a length that no number holds', 'HTTP/1.1 200 OK\r\nContent-Length: 1000000000000000\r\n\r\n', false],
    ['is followed by chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n', false],
    ['has a line feed alone', 'HTTP/1.1 200 OK\r\nContent-Length: 3\nX: y\r\n\r\n', false],
    ['has a folded line', 'HTTP/1.1 200 OK\r\nX: y\r\n z\r\nContent-Length: 3\r\n\r\n', false],
  ])('that %s: %p', (_what, text, isPlain) => {
    expect(readPlainHead(Buffer.from(text, 'latin1')) !== null).toBe(isPlain);
  });
});
