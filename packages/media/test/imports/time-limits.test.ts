import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import { download, filesFromLoopback, never, problemOf } from './support/fetching.ts';
import { type Answer, giving, type Origin, redirecting, saying, silence, startOrigin } from './support/origin.ts';

const SECOND = 1000;

const failure = (message: string) => ({ kind: 'failed', message, mayRecover: true }) as const;
const NO_ANSWER = failure('The server at 127.0.0.1 did not answer in time.');
const STALLED = failure('The server at 127.0.0.1 stopped sending.');
const TRICKLED = failure('The server at 127.0.0.1 sent too slowly.');
const TOOK_TOO_LONG = failure('The download from 127.0.0.1 took too long.');

/** Limits without a minimum rate: a byte from time to time is enough. */
const ANY_RATE = { minimumRate: 0 };

/** Waits several turns of the event loop, after which the sockets of this process have nothing more to do. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('the time limits of imports', () => {
  let origin: Origin | undefined;
  const start = async (answer: Answer): Promise<Origin> => {
    origin = await startOrigin(answer);
    return origin;
  };
  // Timers use a fake clock, which advances only when a test advances it. Sockets work as usual.
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(async () => {
    jest.useRealTimers();
    await origin?.close();
    origin = undefined;
  });

  /** Whether the promise isn't settled yet. */
  const isPending = async (promise: Promise<unknown>): Promise<boolean> => {
    let pending = true;
    const done = (): void => {
      pending = false;
    };
    promise.then(done, done);
    await settle();
    return pending;
  };

  const PARTS = {
    nothing: [],
    'a part of the head': ['HTTP/1.1 200 OK\r\nContent-Le'],
    'as many early hints as allowed': Array.from(
      { length: 20 },
      () => 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
    ),
    'only the head': ['HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n'],
    'the head and a part of a chunk size': ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3'],
  };

  test.each(Object.entries(PARTS))('allow 10 s for the first byte of the file after %s', async (_what, parts) => {
    const { url, ...server } = await start(({ socket }) => {
      for (const part of parts) socket.write(part);
    });
    const problem = problemOf(filesFromLoopback().open(url, { signal: never() }));
    await server.nextVisit();
    jest.advanceTimersByTime(10 * SECOND - 1);
    expect(await isPending(problem)).toBe(true);
    jest.advanceTimersByTime(1);
    expect(await problem).toEqual(NO_ANSWER);
    await server.allClosed();
  });

  test('include the lookup', async () => {
    const files = filesFromLoopback({ resolve: () => new Promise(() => {}) });
    const problem = problemOf(files.open('http://slow.test/', { signal: never() }));
    jest.advanceTimersByTime(10 * SECOND);
    expect(await problem).toEqual(failure('The server at slow.test did not answer in time.'));
  });

  test('include the TLS handshake', async () => {
    const server = await start(silence);
    const problem = problemOf(filesFromLoopback().open(`https://127.0.0.1:${server.port}/`, { signal: never() }));
    while (server.connections === 0) await settle();
    jest.advanceTimersByTime(10 * SECOND);
    expect(await problem).toEqual(NO_ANSWER);
    await server.allClosed();
  });

  test('include all redirects, and the error names the last server', async () => {
    const server = await start((visit) => {
      if (visit.path === '/end') return;
      jest.advanceTimersByTime(3 * SECOND);
      redirecting(visit.path === '/2' ? `http://last.test:${server.port}/end` : `/${Number(visit.path.slice(1)) + 1}`)(
        visit,
      );
    });
    const files = filesFromLoopback({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
    const problem = problemOf(files.open(`${server.url}/0`, { signal: never() }));
    for (let visit = await server.nextVisit(); visit.path !== '/end'; ) visit = await server.nextVisit();
    jest.advanceTimersByTime(SECOND - 1);
    expect(await isPending(problem)).toBe(true);
    jest.advanceTimersByTime(1);
    expect(await problem).toEqual(failure('The server at last.test did not answer in time.'));
  });

  test('allow a server 30 s between two bytes', async () => {
    const { url, ...server } = await start(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nab');
    });
    const file = await filesFromLoopback(ANY_RATE).open(url, { signal: never() });
    const iterator = file.body[Symbol.asyncIterator]();
    await iterator.next();
    const { socket } = await server.nextVisit();
    for (let byte = 0; byte < 5; byte += 1) {
      const next = iterator.next();
      jest.advanceTimersByTime(30 * SECOND - 1);
      expect(await isPending(next)).toBe(true);
      socket.write('c');
      expect(String((await next).value)).toBe('c');
    }
    const problem = problemOf(iterator.next());
    jest.advanceTimersByTime(30 * SECOND - 1);
    expect(await isPending(problem)).toBe(true);
    jest.advanceTimersByTime(1);
    expect(await problem).toEqual(STALLED);
    await server.allClosed();
  });

  test('require 4 KB a second over the last 30 s of waiting', async () => {
    const bytes = 40_960;
    const { url, ...server } = await start(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n');
      socket.write(Buffer.alloc(100_000));
    });
    const file = await filesFromLoopback().open(url, { signal: never() });
    const iterator = file.body[Symbol.asyncIterator]();
    for (let read = 0; read < 100_000; ) read += (await iterator.next()).value?.length ?? 0;
    const { socket } = await server.nextVisit();
    /** Reads `count` bytes, which the server sends after ten seconds. */
    const read = async (count: number): Promise<void> => {
      for (let [left, seconds] = [count, 10]; left > 0; seconds = 0) {
        const next = iterator.next();
        jest.advanceTimersByTime(seconds * SECOND);
        if (seconds > 0) socket.write(Buffer.alloc(count));
        left -= (await next).value?.length ?? 0;
      }
    };
    for (let time = 0; time < 6; time += 1) await read(bytes);
    await read(bytes - 1).then(
      () => expect.unreachable(),
      (error: unknown) => expect(error).toMatchObject({ problem: TRICKLED }),
    );
    await server.allClosed();
  });

  test('count the bytes of the file, not those of its framing', async () => {
    const { url, ...server } = await start(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n');
    });
    const iterator = (await filesFromLoopback().open(url, { signal: never() })).body[Symbol.asyncIterator]();
    await iterator.next();
    const { socket } = await server.nextVisit();
    const problem = problemOf(iterator.next());
    for (let second = 0; second < 29; second += 1) {
      socket.write('0');
      jest.advanceTimersByTime(SECOND);
    }
    expect(await isPending(problem)).toBe(true);
    socket.write('0');
    jest.advanceTimersByTime(SECOND);
    expect(await problem).toEqual(STALLED);
  });

  test('do not count the time that a slow reader takes', async () => {
    const { url } = await start(giving('picture'));
    const file = await filesFromLoopback().open(url, { signal: never() });
    jest.advanceTimersByTime(31 * SECOND);
    const iterator = file.body[Symbol.asyncIterator]();
    expect(String((await iterator.next()).value)).toBe('picture');
    jest.advanceTimersByTime(31 * SECOND);
    expect((await iterator.next()).done).toBe(true);
  });

  test('allow a slow body one hour if there is no minimum rate', async () => {
    const { url, ...server } = await start(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\na');
    });
    const iterator = (await filesFromLoopback(ANY_RATE).open(url, { signal: never() })).body[Symbol.asyncIterator]();
    await iterator.next();
    const { socket } = await server.nextVisit();
    for (let elapsed = 0; elapsed < 3600 - 20; elapsed += 20) {
      const next = iterator.next();
      jest.advanceTimersByTime(20 * SECOND);
      socket.write('b');
      expect((await next).done).toBe(false);
    }
    const problem = problemOf(iterator.next());
    jest.advanceTimersByTime(20 * SECOND - 1);
    expect(await isPending(problem)).toBe(true);
    jest.advanceTimersByTime(1);
    expect(await problem).toEqual(TOOK_TOO_LONG);
    await server.allClosed();
  });

  test('close a file that is not read for an hour', async () => {
    const { url, ...server } = await start(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\na');
    });
    const file = await filesFromLoopback().open(url, { signal: never() });
    jest.advanceTimersByTime(3600 * SECOND);
    await server.allClosed();
    expect(await problemOf(file.body[Symbol.asyncIterator]().next())).toEqual(TOOK_TOO_LONG);
  });

  test('can be configured', async () => {
    const options = { headTimeout: 5, idleTimeout: 7, ...ANY_RATE, maxDuration: 1000 };
    const { url } = await start(silence);
    const problem = problemOf(filesFromLoopback(options).open(url, { signal: never() }));
    jest.advanceTimersByTime(5);
    expect(await problem).toEqual(NO_ANSWER);
  });

  test('leave no timers behind', async () => {
    const { url } = await start((visit) => {
      if (visit.path === '/404') return saying('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')(visit);
      return giving('picture')(visit);
    });
    const files = filesFromLoopback();
    expect(await download(files, url)).toBe('picture');
    await problemOf(files.open(`${url}/404`, { signal: never() }));
    await problemOf(files.open('ftp://127.0.0.1/', { signal: never() }));
    (await files.open(url, { signal: never() })).close();
    for await (const _ of (await files.open(url, { signal: never() })).body) break;
    // A connection that isn't closed yet has a timer of 4 s. The time limits of imports are longer. The number of turns is
    // limited, because all clocks are faked.
    jest.advanceTimersByTime(4 * SECOND);
    for (let turn = 0; turn < 500 && jest.getTimerCount() > 0; turn += 1) await settle();
    expect(jest.getTimerCount()).toBe(0);
  });
});
