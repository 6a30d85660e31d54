import { describe, expect, test } from 'bun:test';
import { getEventListeners } from 'node:events';
import { thrownBy } from '@postshelf/testing/outcomes';
import { sendRequest } from '../../src/imports/http-request.ts';
import { parseUrl } from '../../src/imports/remote-url.ts';
import { connectionsTo, download, filesFromLoopback } from './support/fetching.ts';
import { type Answer, giving, type Origin, redirecting, saying, silence, startOrigin } from './support/origin.ts';

const reason = new Error('The service is going down.');

/** Returns a signal, a function that aborts it, and one that counts its listeners. */
function watchedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  const abort = (): void => controller.abort(reason);
  return { signal, abort, listeners: () => getEventListeners(signal, 'abort').length };
}

const sending =
  (text: string): Answer =>
  ({ socket }) =>
    void socket.write(text);

const ABORTED: readonly (readonly [string, Answer, (origin: Origin) => Promise<unknown>, scheme?: 'https'])[] = [
  [
    'a connection that is not open yet',
    silence,
    // The signal is aborted after the check of the address, before the operating system reports the connection.
    async () => {
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    },
  ],
  [
    'a TLS handshake',
    silence,
    async (origin) => {
      while (origin.connections === 0) await new Promise((resolve) => setImmediate(resolve));
    },
    'https',
  ],
  ['a request before the head', silence, (origin) => origin.nextVisit()],
  ['a request in the head', sending('HTTP/1.1 200 OK\r\nContent-Le'), (origin) => origin.nextVisit()],
  [
    'a request before the first byte',
    sending('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n'),
    (origin) => origin.nextVisit(),
  ],
  [
    'the request of a redirect',
    (visit) => (visit.path === '/' ? redirecting('/1') : silence)(visit),
    async (origin) => {
      while ((await origin.nextVisit()).path !== '/1');
    },
  ],
];

describe('the abort signal of an import', () => {
  test('prevents the lookup if it is aborted before the start', async () => {
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return [];
    };
    const files = filesFromLoopback({ resolve });
    const opening = files.open('http://files.test/', { signal: AbortSignal.abort(reason) });
    expect(await thrownBy(opening)).toBe(reason);
    expect(asked).toEqual([]);
  });

  test('ends a lookup, and no connection is made afterwards', async () => {
    await using origin = await startOrigin(giving('picture'));
    const lookUp = Promise.withResolvers<readonly { address: string; family: 4 }[]>();
    const { signal, abort, listeners } = watchedSignal();
    const files = filesFromLoopback({ resolve: () => lookUp.promise });
    const opening = files.open(`http://files.test:${origin.port}/`, { signal });
    expect(listeners()).toBe(1);
    abort();
    expect(await thrownBy(opening)).toBe(reason);
    lookUp.resolve([{ address: '127.0.0.1', family: 4 }]);
    expect(await connectionsTo(origin)).toBe(0);
    expect(listeners()).toBe(0);
  });

  test('prevents the connection if it is aborted after the lookup', async () => {
    await using origin = await startOrigin(giving('picture'));
    const addresses = [{ address: '127.0.0.1', family: 4 }] as const;
    const aborted = sendRequest(parseUrl(origin.url), {
      method: 'GET',
      headers: {},
      addresses,
      signal: AbortSignal.abort(reason),
      ca: undefined,
    });
    expect(await thrownBy(aborted)).toBe(reason);
    expect(await connectionsTo(origin)).toBe(0);
  });

  test.each(ABORTED)('ends %s', async (_, answer, reached, scheme = undefined) => {
    await using origin = await startOrigin(answer);
    const { signal, abort, listeners } = watchedSignal();
    const opening = filesFromLoopback().open(origin.url.replace('http', scheme ?? 'http'), { signal });
    await reached(origin);
    abort();
    expect(await thrownBy(opening)).toBe(reason);
    await origin.allClosed();
    expect(listeners()).toBe(0);
  });

  test.each([true, false])('ends a body (with a waiting reader: %p)', async (isWaiting) => {
    await using origin = await startOrigin(sending('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc'));
    const { signal, abort, listeners } = watchedSignal();
    const iterator = (await filesFromLoopback().open(origin.url, { signal })).body[Symbol.asyncIterator]();
    expect(String((await iterator.next()).value)).toBe('abc');
    const waiting = isWaiting ? iterator.next() : null;
    abort();
    expect(await thrownBy(waiting ?? iterator.next())).toBe(reason);
    expect(await thrownBy(iterator.next())).toBe(reason);
    await origin.allClosed();
    expect(listeners()).toBe(0);
  });

  test('has no listeners left, however a download ends', async () => {
    await using origin = await startOrigin((visit) =>
      (visit.path === '/404' ? saying('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n') : giving('abc'))(visit),
    );
    const { signal, listeners } = watchedSignal();
    const files = filesFromLoopback();
    await download(files, origin.url, signal);
    await thrownBy(files.open(`${origin.url}/404`, { signal }));
    await thrownBy(files.open('http://10.0.0.1/', { signal }));
    (await files.open(origin.url, { signal })).close();
    for await (const _ of (await files.open(origin.url, { signal })).body) break;
    expect(listeners()).toBe(0);
    await origin.allClosed();
  });
});
