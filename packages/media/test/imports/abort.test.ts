import { describe, expect, test } from 'bun:test';
import { getEventListeners } from 'node:events';
import { httpGet } from '../../src/imports/http-get.ts';
import { parseTarget } from '../../src/imports/target.ts';
import { connectionsTo, download, filesFromLoopback, thrownBy } from './support/fetching.ts';
import { giving, redirecting, saying, silence, startOrigin } from './support/origin.ts';

const reason = new Error('The service is going down.');

/** A signal, and how many wait for it. */
function watchedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  const abort = (): void => controller.abort(reason);
  return { signal, abort, listeners: () => getEventListeners(signal, 'abort').length };
}

describe('the signal', () => {
  test('aborted before keeps the name from being looked up', async () => {
    const asked: string[] = [];
    const files = filesFromLoopback({
      resolve: async (host) => {
        asked.push(host);
        return [];
      },
    });
    const opening = files.open('http://files.test/', { signal: AbortSignal.abort(reason) });
    expect(await thrownBy(opening)).toBe(reason);
    expect(asked).toEqual([]);
  });

  test('ends a look-up, and no connection comes of it', async () => {
    const origin = await startOrigin(giving('picture'));
    const lookUp = Promise.withResolvers<readonly { address: string; family: 4 }[]>();
    const { signal, abort, listeners } = watchedSignal();
    const files = filesFromLoopback({ resolve: () => lookUp.promise });
    const opening = files.open(`http://files.test:${origin.port}/`, { signal });
    expect(listeners()).toBe(1);
    abort();
    expect(await thrownBy(opening)).toBe(reason);
    lookUp.resolve([{ address: '127.0.0.1', family: 4 }]);
    expect(await download(filesFromLoopback(), origin.url)).toBe('picture');
    expect(origin.connections).toBe(1);
    expect(listeners()).toBe(0);
    await origin.close();
  });

  test('aborted when the look-up is through keeps the connection away', async () => {
    const origin = await startOrigin(giving('picture'));
    const addresses = [{ address: '127.0.0.1', family: 4 }] as const;
    const aborted = httpGet(parseTarget(origin.url), { addresses, signal: AbortSignal.abort(reason), ca: undefined });
    expect(await thrownBy(aborted)).toBe(reason);
    expect(await connectionsTo(origin)).toBe(0);
    await origin.close();
  });

  test('ends a connection that is not there yet', async () => {
    const origin = await startOrigin(silence);
    const { signal, abort, listeners } = watchedSignal();
    const opening = filesFromLoopback().open(origin.url, { signal });
    // Past the check of the address, before the operating system says that the connection is there.
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    abort();
    expect(await thrownBy(opening)).toBe(reason);
    await origin.allClosed();
    expect(origin.visits).toEqual([]);
    expect(listeners()).toBe(0);
    await origin.close();
  });

  test('ends a TLS handshake', async () => {
    const origin = await startOrigin(silence);
    const { signal, abort, listeners } = watchedSignal();
    const opening = filesFromLoopback().open(`https://127.0.0.1:${origin.port}/`, { signal });
    while (origin.connections === 0) await new Promise((resolve) => setImmediate(resolve));
    abort();
    expect(await thrownBy(opening)).toBe(reason);
    await origin.allClosed();
    expect(listeners()).toBe(0);
    await origin.close();
  });

  test.each([
    ['before the head', ''],
    ['in the head', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['before the first byte', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n'],
  ])('ends a request %s', async (_when, text) => {
    const origin = await startOrigin(({ socket }) => void socket.write(text));
    const { signal, abort, listeners } = watchedSignal();
    const opening = filesFromLoopback().open(origin.url, { signal });
    await origin.nextVisit();
    abort();
    expect(await thrownBy(opening)).toBe(reason);
    await origin.allClosed();
    expect(listeners()).toBe(0);
    await origin.close();
  });

  test('ends the request of a redirect', async () => {
    const origin = await startOrigin((visit) => (visit.path === '/' ? redirecting('/1') : silence)(visit));
    const { signal, abort, listeners } = watchedSignal();
    const opening = filesFromLoopback().open(origin.url, { signal });
    while ((await origin.nextVisit()).path !== '/1');
    abort();
    expect(await thrownBy(opening)).toBe(reason);
    await origin.allClosed();
    expect(listeners()).toBe(0);
    await origin.close();
  });

  test.each(['while it is waited for', 'while nobody waits'])('ends a body %s', async (when) => {
    const origin = await startOrigin(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc');
    });
    const { signal, abort, listeners } = watchedSignal();
    const iterator = (await filesFromLoopback().open(origin.url, { signal })).body[Symbol.asyncIterator]();
    expect(String((await iterator.next()).value)).toBe('abc');
    const waiting = when === 'while nobody waits' ? null : iterator.next();
    abort();
    expect(await thrownBy(waiting ?? iterator.next())).toBe(reason);
    expect(await thrownBy(iterator.next())).toBe(reason);
    await origin.allClosed();
    expect(listeners()).toBe(0);
    await origin.close();
  });

  test('is let go of, however a download ends', async () => {
    const origin = await startOrigin((visit) =>
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
    await origin.close();
  });
});
