import { describe, expect, test } from 'bun:test';
import { download, filesFromLoopback, never, problemOf } from './support/fetching.ts';
import { type Answer, startOrigin } from './support/origin.ts';

const MB = 1024 * 1024;

const CUT_OFF = { kind: 'failed', message: 'The server at 127.0.0.1 cut off the download.', mayRecover: true } as const;

const head = (...lines: string[]): string => `${['HTTP/1.1 200 OK', ...lines].join('\r\n')}\r\n\r\n`;

/** Sends the text, and breaks the connection when the client has received some of it. */
function breaking(text: string, how: 'end' | 'reset') {
  const read = Promise.withResolvers<void>();
  const answer: Answer = ({ socket }) => {
    socket.write(text);
    read.promise.then(() => (how === 'end' ? socket.end() : socket.resetAndDestroy()));
  };
  return { answer, breakOff: () => read.resolve() };
}

describe('an import body', () => {
  test.each([
    ['of a known length, ended', head('Content-Length: 100'), 'end'],
    ['of a known length, reset', head('Content-Length: 100'), 'reset'],
    ['one byte shorter than declared, ended', head('Content-Length: 4'), 'end'],
    ['in chunks, ended', `${head('Transfer-Encoding: chunked')}9\r\n`, 'end'],
    ['in chunks, reset', `${head('Transfer-Encoding: chunked')}9\r\n`, 'reset'],
    ['of an unknown length, reset', head(), 'reset'],
  ] as const)('that is cut off fails: %s', async (_what, start, how) => {
    const { answer, breakOff } = breaking(`${start}abc`, how);
    await using origin = await startOrigin(answer);
    const iterator = (await filesFromLoopback().open(origin.url, { signal: never() })).body[Symbol.asyncIterator]();
    expect(String((await iterator.next()).value)).toBe('abc');
    breakOff();
    expect(await problemOf(iterator.next())).toEqual(CUT_OFF);
    expect(await problemOf(iterator.next())).toEqual(CUT_OFF);
    await origin.allClosed();
  });

  test.each([
    ['between two chunks', '3\r\nabc\r\n'],
    ['before the size of the last', '3\r\nabc\r\n0'],
    ['in the trailer', '3\r\nabc\r\n0\r\nX: y\r\n'],
    ['in a bad chunk size', '3\r\nabc\r\nxyz\r\n'],
  ])('sent in chunks and truncated %s fails', async (_where, chunks) => {
    await using origin = await startOrigin(({ socket }) => {
      socket.end(head('Transfer-Encoding: chunked') + chunks);
    });
    expect(await problemOf(download(filesFromLoopback(), origin.url))).toEqual(CUT_OFF);
  });

  test('without a length ends with the connection', async () => {
    const { answer, breakOff } = breaking(`${head()}abc`, 'end');
    await using origin = await startOrigin(answer);
    const iterator = (await filesFromLoopback().open(origin.url, { signal: never() })).body[Symbol.asyncIterator]();
    expect(String((await iterator.next()).value)).toBe('abc');
    breakOff();
    expect((await iterator.next()).done).toBe(true);
  });

  test('ends at its declared length, even if the server sends more', async () => {
    await using origin = await startOrigin(({ socket }) => {
      socket.write(`${head('Content-Length: 3')}abc`);
      const timer = setInterval(() => socket.write('more'), 1);
      socket.once('close', () => clearInterval(timer));
    });
    expect(await download(filesFromLoopback(), origin.url)).toBe('abc');
    await origin.allClosed();
  });

  test('is read in turns with other work, however fast it arrives', async () => {
    const block = Buffer.from(`41\r\n${'x'.repeat(65)}\r\n`.repeat(4000));
    await using origin = await startOrigin(({ socket }) => {
      socket.write(head('Transfer-Encoding: chunked'));
      for (let blocks = 0; blocks < 100; blocks += 1) socket.write(block);
      socket.end('0\r\n\r\n');
    });
    const file = await filesFromLoopback().open(origin.url, { signal: never() });
    let [max, inTurn, isOver] = [0, 0, false];
    const watch = (): void => {
      inTurn = 0;
      if (!isOver) setImmediate(watch);
    };
    watch();
    for await (const { length } of file.body) {
      inTurn += length;
      max = Math.max(max, inTurn);
    }
    isOver = true;
    expect(max).toBeLessThan(MB);
  });

  test('stays in the socket buffers while it is not read', async () => {
    const size = 200 * MB;
    const chunk = Buffer.alloc(MB / 4, 7);
    let sent = 0;
    let lastSent = 0;
    await using origin = await startOrigin(({ socket }) => {
      const send = (): void => {
        while (sent < size) {
          sent += chunk.length;
          if (!socket.write(chunk)) break;
        }
      };
      socket.on('drain', send);
      socket.write(head(`Content-Length: ${size}`));
      send();
    });
    const file = await filesFromLoopback().open(origin.url, { signal: never() });
    const iterator = file.body[Symbol.asyncIterator]();
    let read = 0;
    while (read < MB) read += (await iterator.next()).value?.length ?? 0;

    // All buffers are full once the server has sent nothing more for a thousand turns of the event loop.
    for (let quiet = 0; quiet < 1000; quiet += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (sent !== lastSent) quiet = 0;
      lastSent = sent;
    }
    expect(sent - read).toBeLessThan(32 * MB);

    for (let result = await iterator.next(); !result.done; result = await iterator.next()) read += result.value.length;
    expect(read).toBe(size);
    await origin.allClosed();
  });
});
