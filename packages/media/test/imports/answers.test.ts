import { describe, expect, spyOn, test } from 'bun:test';
import { EventEmitter } from 'node:events';
import { download, filesFromLoopback, never, problemOf, readText } from './support/fetching.ts';
import { type Answer, saying, startOrigin } from './support/origin.ts';

async function onOrigin<T>(answer: Answer, run: (url: string) => Promise<T>): Promise<T> {
  await using origin = await startOrigin(answer);
  const result = await run(origin.url);
  await origin.allClosed();
  return result;
}

const get = (answer: Answer) => onOrigin(answer, (url) => download(filesFromLoopback(), url));
const fail = (answer: Answer) =>
  onOrigin(answer, (url) => problemOf(filesFromLoopback().open(url, { signal: never() })));

const head = (...lines: string[]): string => `${['HTTP/1.1 200 OK', ...lines].join('\r\n')}\r\n\r\n`;

/** Sends each byte in a separate packet. */
const piecemeal =
  (text: string): Answer =>
  async ({ socket }) => {
    socket.setNoDelay(true);
    for (const byte of text) await new Promise((sent) => socket.write(byte, sent));
    socket.end();
  };

describe('a response to an import', () => {
  test.each([
    ['with a known length', saying(head('Content-Length: 3'), 'abc')],
    ['byte by byte', piecemeal(`${head('Content-Length: 3')}abc`)],
    ['in chunks, byte by byte', piecemeal(`${head('Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\n\r\n`)],
    ['in chunks', saying(head('Transfer-Encoding: chunked'), '1\r\na\r\n2;x=y\r\nbc\r\n0\r\n\r\n')],
    ['in chunks with a trailer', saying(head('Transfer-Encoding: chunked'), '3\r\nabc\r\n0\r\nX: y\r\n\r\n')],
    ['without a length, up to the end of the connection', saying(head(), 'abc')],
    ['in HTTP/1.0', saying('HTTP/1.0 200 OK\r\n\r\nabc')],
    ['after 100 Continue', saying('HTTP/1.1 100 Continue\r\n\r\n', head('Content-Length: 3'), 'abc')],
    [
      'after 103 Early Hints',
      saying('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', head('Content-Length: 3'), 'abc'),
    ],
    ['with status 203', saying('HTTP/1.1 203 Non-Authoritative\r\nContent-Length: 3\r\n\r\nabc')],
    [
      'with an offer of another protocol',
      saying(head('Upgrade: h2', 'Connection: upgrade', 'Content-Length: 3'), 'abc'),
    ],
    ['without the bytes after its end', saying(head('Content-Length: 3'), 'abcdef')],
    ['without the bytes after its last chunk', saying(head('Transfer-Encoding: chunked'), '3\r\nabc\r\n0\r\n\r\ndef')],
  ])('is accepted %s', async (_what, answer) => {
    expect(await get(answer)).toBe('abc');
  });

  test.each([
    ['1,000 chunks of one byte', '1\r\nx\r\n'.repeat(1000), 1000],
    ['100,000 chunks of 70 bytes', `46\r\n${'x'.repeat(70)}\r\n`.repeat(100_000), 7_000_000],
  ])('is accepted in %s', async (_what, chunks, size) => {
    expect(await get(saying(head('Transfer-Encoding: chunked'), `${chunks}0\r\n\r\n`))).toHaveLength(size);
  });

  test('is accepted with any Content-Type, and its bytes are unchanged', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const text = await get(saying(head('Content-Type: text/html', 'Content-Length: 256'), bytes));
    expect(Buffer.from(text, 'latin1')).toEqual(Buffer.from(bytes));
  });

  test.each([
    ['Content-Length: 3', 3],
    ['Content-Length: 0003', 3],
    ['Content-Length: 2147483649', 2_147_483_649],
    ['Content-Length: 18446744073709551615', 2 ** 64],
    ['Transfer-Encoding: chunked', null],
    ['X: y', null],
  ])('with %s has the declared size %p', async (line, announcedSize) => {
    await onOrigin(saying(head(line), line.startsWith('T') ? '3\r\nabc\r\n' : 'abc'), async (url) => {
      const file = await filesFromLoopback().open(url, { signal: never() });
      expect(file.announcedSize).toBe(announcedSize);
      file.close();
    });
  });

  test('may be empty', async () => {
    await onOrigin(saying(head('Content-Length: 0')), async (url) => {
      const file = await filesFromLoopback().open(url, { signal: never() });
      expect(file.announcedSize).toBe(0);
      expect(await readText(file.body)).toBe('');
    });
  });
});

describe('a response to an import', () => {
  // Common statuses are tested in the contract suite.
  test.each([
    ...[101, 205, 206, 416, 426, 499].map((status) => [status, false] as const),
    ...[599, 999].map((status) => [status, true] as const),
  ])('with status %i fails, and may recover: %p', async (status, mayRecover) => {
    const upgrade = status === 101 ? 'Upgrade: h2\r\nConnection: upgrade\r\n' : '';
    // Only the status counts, even if the response says `OK`, redirects or has a body.
    const answer = saying(`HTTP/1.1 ${status} OK\r\n${upgrade}Location: /\r\nContent-Length: 3\r\n\r\nabc`);
    const message = `The server at 127.0.0.1 answered ${status}.`;
    expect(await fail(answer)).toEqual({ kind: 'failed', message, mayRecover });
  });

  test.each([
    ['text that is not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['HTTP/0.9', 'abc'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\nContent-Length: 3\r\n\r\nabc'],
    ['a negative length', head('Content-Length: -3')],
    ['a length with a sign', head('Content-Length: +3')],
    ['a hexadecimal length', head('Content-Length: 0x3')],
    ['a length with a word', head('Content-Length: 3 bytes')],
    ['an empty length', head('Content-Length:')],
    ['a list of lengths', head('Content-Length: 3, 3')],
    ['two lengths', head('Content-Length: 3', 'Content-Length: 3')],
    ['two lengths that differ', head('Content-Length: 3', 'Content-Length: 30')],
    ['a length beyond 64 bits', head('Content-Length: 18446744073709551616')],
    ['a length next to chunks', head('Content-Length: 3', 'Transfer-Encoding: chunked')],
    ['line feeds only', 'HTTP/1.1 200 OK\nContent-Length: 3\n\nabc'],
    ['a zero byte in a header', head('X: a\0b', 'Content-Length: 3')],
    ['a header folded by a carriage return', head('X: a\rSet-Cookie: b', 'Content-Length: 3')],
    ['a header of 20 kB', head(`X: ${'a'.repeat(20_000)}`, 'Content-Length: 3')],
    ['a header of 10 MB', head(`X: ${'a'.repeat(10_000_000)}`, 'Content-Length: 3')],
    ['thousands of headers', head(...Array.from({ length: 5000 }, (_, index) => `X-${index}: a`), 'Content-Length: 3')],
  ])('with %s fails', async (_what, text) => {
    const message = 'The server at 127.0.0.1 did not answer in valid HTTP.';
    expect(await fail(saying(text))).toEqual({ kind: 'failed', message, mayRecover: true });
  });

  test.each([
    ['text that is not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['line feeds only', 'HTTP/1.1 200 OK\nContent-Length: 3\n'],
    ['a folded line', 'HTTP/1.1 200 OK\r\n X: y\r\n'],
  ])('with %s fails immediately, although the server keeps the connection open', async (_what, text) => {
    const message = 'The server at 127.0.0.1 did not answer in valid HTTP.';
    const answer: Answer = ({ socket }) => void socket.write(text);
    expect(await fail(answer)).toEqual({ kind: 'failed', message, mayRecover: true });
  });

  test.each([
    ['a first chunk of no size', `${head('Transfer-Encoding: chunked')}zz\r\nabc\r\n0\r\n\r\n`],
    ['a first chunk of negative size', `${head('Transfer-Encoding: chunked')}-3\r\nabc`],
    ['a first chunk beyond 64 bits', `${head('Transfer-Encoding: chunked')}fffffffffffffffff\r\na`],
    [
      'a chunk extension of 1 MB',
      `${head('Transfer-Encoding: chunked')}3;${'a'.repeat(1_000_000)}\r\nabc\r\n0\r\n\r\n`,
    ],
  ])('with %s fails', async (_what, text) => {
    const message = 'The server at 127.0.0.1 cut off the download.';
    expect(await fail(saying(text))).toEqual({ kind: 'failed', message, mayRecover: true });
  });

  test.each([
    ['from the start', '1\r\nx\r\n'.repeat(100_000)],
    ['after a large one', `186a0\r\n${'x'.repeat(100_000)}\r\n${'1\r\nx\r\n'.repeat(100_000)}`],
  ])('fails for good with chunks of one byte, %s', async (_when, chunks) => {
    const message = 'The server at 127.0.0.1 sends the file in chunks that are too small.';
    const problem = onOrigin(saying(head('Transfer-Encoding: chunked'), chunks), (url) =>
      problemOf(download(filesFromLoopback(), url)),
    );
    expect(await problem).toEqual({ kind: 'failed', message, mayRecover: false });
  });

  test.each([100, 102, 103])('fails for good with more than 20 interim responses of status %i', async (status) => {
    const message = 'The server at 127.0.0.1 sent too many interim responses.';
    const answer: Answer = ({ socket }) => void socket.write(`HTTP/1.1 ${status} Wait\r\n\r\n`.repeat(21));
    expect(await fail(answer)).toEqual({ kind: 'failed', message, mayRecover: false });
  });

  test('fails for good with 20,000 interim responses, and most of them are not processed', async () => {
    using emit = spyOn(EventEmitter.prototype, 'emit');
    const answer: Answer = ({ socket }) => void socket.write('HTTP/1.1 103 Wait\r\n\r\n'.repeat(20_000));
    expect(await fail(answer)).toMatchObject({ kind: 'failed', mayRecover: false });
    const lookedAt = emit.mock.calls.filter(([event]) => event === 'information').length;
    expect(lookedAt).toBeGreaterThan(20);
    expect(lookedAt).toBeLessThan(400);
  });

  test.each([
    ['nothing', saying()],
    ['half a head', saying('HTTP/1.1 200 OK\r\nContent-')],
    ['an early hint and nothing else', saying('HTTP/1.1 103 Early Hints\r\n\r\n')],
    ['a connection reset', ({ socket }) => void socket.resetAndDestroy()],
  ] satisfies [string, Answer][])('that consists of %s fails', async (_what, answer) => {
    const message = 'The connection to 127.0.0.1 was closed without an answer.';
    expect(await fail(answer)).toEqual({ kind: 'failed', message, mayRecover: true });
  });
});

describe('an import without a server', () => {
  test('fails at a port without a listener', async () => {
    const origin = await startOrigin(saying());
    await origin.close();
    const message = 'The server at 127.0.0.1 refused the connection.';
    const problem = await problemOf(filesFromLoopback().open(origin.url, { signal: never() }));
    expect(problem).toEqual({ kind: 'failed', message, mayRecover: true });
  });

  test.each([
    ['the resolver fails', async () => Promise.reject(new Error('getaddrinfo ENOTFOUND 10.0.0.53'))],
    ['it has no address', async () => []],
  ])('fails if the name does not exist: %s', async (_how, resolve) => {
    const files = filesFromLoopback({ resolve });
    const problem = await problemOf(files.open('http://gone.test/', { signal: never() }));
    expect(problem).toEqual({ kind: 'failed', message: 'The host gone.test was not found.', mayRecover: true });
  });

  test.each([
    ['one dot', 'http://./'],
    ['two dots', 'http://../'],
    ['300 letters', `http://${'a'.repeat(300)}.test/`],
  ])('fails for a host name of %s', async (_, url) => {
    const problem = await problemOf(filesFromLoopback({ resolve: async () => [] }).open(url, { signal: never() }));
    const host = new URL(url).hostname.slice(0, 253);
    expect(problem).toEqual({ kind: 'failed', message: `The host ${host} was not found.`, mayRecover: true });
  });
});
