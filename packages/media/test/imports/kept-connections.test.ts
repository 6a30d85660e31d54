import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { RemoteFiles } from '@postshelf/domain';
import { Connection } from '../../src/imports/connection.ts';
import { KeptConnections } from '../../src/imports/kept-connections.ts';
import { parseUrl } from '../../src/imports/remote-url.ts';
import { createAuthority } from './support/certificates.ts';
import { download, filesFromLoopback, never, problemOf, thrownBy } from './support/fetching.ts';
import { type Answer, giving, leavingOpen, redirecting, saying, silence, startOrigin } from './support/origin.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n';

/** Everything that a server sends before it waits for the next request. */
const sending =
  (text: string): Answer =>
  ({ socket }) =>
    void socket.write(text);

/** The answers in turn; the last one again and again. */
const inTurn = (...answers: readonly [Answer, ...Answer[]]): Answer => {
  let asked = 0;
  return (visit) => {
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    answer?.(visit);
  };
};

const downloadFor = (owner: string, files: RemoteFiles, url: string): Promise<string> =>
  download(files, url, never(), owner);

describe('a connection that its server leaves open', () => {
  test('serves the next file of the same owner', async () => {
    await using origin = await startOrigin(leavingOpen('picture'));
    const files = filesFromLoopback();
    for (let file = 0; file < 5; file += 1)
      expect(await downloadFor('a', files, `${origin.url}/${file}`)).toBe('picture');
    expect(origin.connections).toBe(1);
    expect(origin.visits.map(({ path }) => path)).toEqual(['/0', '/1', '/2', '/3', '/4']);
    for (const { head } of origin.visits) expect(head).toContain('\r\nConnection: keep-alive\r\n');
  });

  test('serves several files at once, each over its own', async () => {
    await using origin = await startOrigin(leavingOpen('picture'));
    const files = filesFromLoopback();
    for (let round = 0; round < 3; round += 1) {
      await Promise.all([1, 2, 3].map((file) => downloadFor('a', files, `${origin.url}/${file}`)));
    }
    expect(origin.connections).toBe(3);
  });

  test('serves nobody else, and is closed where no owner is known', async () => {
    await using origin = await startOrigin(leavingOpen('picture'));
    const files = filesFromLoopback();
    for (const owner of ['a', 'b', 'a', 'b']) await downloadFor(owner, files, origin.url);
    expect(origin.connections).toBe(2);
    await download(files, origin.url);
    await download(files, origin.url);
    expect(origin.connections).toBe(4);
  });

  test('serves only the name and the scheme that it was opened for', async () => {
    const authority = createAuthority();
    const tls = authority.issue(['one.test', 'two.test', '127.0.0.1']);
    await using plain = await startOrigin(leavingOpen('plain'));
    await using secure = await startOrigin(leavingOpen('secure'), { tls });
    const resolve = async () => [{ address: '127.0.0.1', family: 4 } as const];
    const files = filesFromLoopback({ resolve, ca: authority.cert });
    for (let round = 0; round < 2; round += 1) {
      for (const host of ['one.test', 'two.test', '127.0.0.1']) {
        expect(await downloadFor('a', files, `http://${host}:${plain.port}/`)).toBe('plain');
        expect(await downloadFor('a', files, `https://${host}:${secure.port}/`)).toBe('secure');
      }
    }
    expect([plain.connections, secure.connections]).toEqual([3, 3]);
  });

  test('serves no name that has another address by now', async () => {
    await using first = await startOrigin(leavingOpen('first'));
    await using second = await startOrigin(leavingOpen('second'), { host: '127.0.0.2', port: first.port });
    let address = '127.0.0.1';
    const files = filesFromLoopback({
      allowedNetworks: ['127.0.0.1/32', '127.0.0.2/32'],
      resolve: async () => [{ address, family: 4 }],
    });
    const url = `http://moving.test:${first.port}/`;
    expect(await downloadFor('a', files, url)).toBe('first');
    address = '127.0.0.2';
    expect(await downloadFor('a', files, url)).toBe('second');
    address = '127.0.0.3';
    await expect(downloadFor('a', files, url)).rejects.toThrow('The host moving.test is not publicly reachable.');
    expect([first.connections, second.connections]).toEqual([1, 1]);
  });

  test('is closed after a while', async () => {
    await using origin = await startOrigin(leavingOpen('picture'));
    const files = filesFromLoopback({ keepTime: 1 });
    await downloadFor('a', files, origin.url);
    await origin.allClosed();
    expect(await downloadFor('a', files, origin.url)).toBe('picture');
    expect(origin.connections).toBe(2);
  });

  test('is one of 64 at most: the oldest is closed', async () => {
    await using origin = await startOrigin(leavingOpen('picture'));
    const files = filesFromLoopback();
    for (let owner = 0; owner < 65; owner += 1) await downloadFor(String(owner), files, origin.url);
    await downloadFor('1', files, origin.url);
    expect(origin.connections).toBe(65);
    await origin.visits[0]?.closed;
    await downloadFor('0', files, origin.url);
    expect(origin.connections).toBe(66);
  });

  test('is not closed because somebody else uses many', async () => {
    await using origin = await startOrigin(leavingOpen('picture'));
    const files = filesFromLoopback({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
    await downloadFor('a', files, origin.url);
    for (let host = 0; host < 64; host += 1) await downloadFor('b', files, `http://h${host}.test:${origin.port}`);
    await downloadFor('a', files, origin.url);
    expect(origin.connections).toBe(65);
    await origin.visits[1]?.closed;
    await downloadFor('b', files, `http://h0.test:${origin.port}`);
    expect(origin.connections).toBe(66);
  });

  test('does not keep a process alive', async () => {
    await using origin = await startOrigin(leavingOpen('picture'));
    const script = join(import.meta.dir, 'support', 'download-and-end.ts');
    const program = Bun.spawn([process.execPath, script, origin.url], { stdout: 'pipe' });
    expect(await new Response(program.stdout).text()).toBe('picture');
    expect(await program.exited).toBe(0);
  });
});

describe('a connection is not used again', () => {
  const ANSWERS: readonly (readonly [string, Answer])[] = [
    ['that the server says to close', leavingOpen('picture', 'Connection: close')],
    ['with anything else about the connection', leavingOpen('picture', 'Connection: keep-alive, close')],
    ['that the server closes within 5 s', leavingOpen('picture', 'Keep-Alive: timeout=4, max=100')],
    ['over which more came than the body', sending(`${HEAD}\r\npictureHTTP/1.1 200 OK\r\n`)],
    ['after a chunked body', sending('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\npicture\r\n0\r\n\r\n')],
    ['after a response of HTTP/1.0', sending(`${HEAD.replace('1.1', '1.0')}\r\npicture`)],
  ];

  test.each(ANSWERS)('%s', async (_, answer) => {
    await using origin = await startOrigin(answer);
    const files = filesFromLoopback();
    for (let file = 0; file < 2; file += 1) {
      expect(await downloadFor('a', files, origin.url)).toBe('picture');
      await origin.allClosed();
    }
    expect(origin.connections).toBe(2);
  });

  test('after a redirect, an error, or a body that was not read to its end', async () => {
    await using origin = await startOrigin((visit) => {
      const answers: Record<string, Answer> = {
        '/old': ({ socket }) => void socket.write('HTTP/1.1 302 F\r\nLocation: /\r\nContent-Length: 0\r\n\r\n'),
        '/missing': ({ socket }) => void socket.write('HTTP/1.1 404 N\r\nContent-Length: 0\r\n\r\n'),
      };
      (answers[visit.path] ?? leavingOpen('picture'))(visit);
    });
    const files = filesFromLoopback();
    const open = (path: string) => files.open(`${origin.url}${path}`, { owner: 'a', signal: never() });
    await problemOf(open('/missing'));
    await origin.allClosed();
    (await open('/')).close();
    await origin.allClosed();
    for await (const _ of (await open('/')).body) break;
    await origin.allClosed();
    expect(await downloadFor('a', files, `${origin.url}/old`)).toBe('picture');
    expect(origin.connections).toBe(5);
  });

  test('if more bytes came while the end of the body was not read yet', async () => {
    await using origin = await startOrigin(leavingOpen('picture'));
    const files = filesFromLoopback();
    const { body } = await files.open(origin.url, { owner: 'a', signal: never() });
    const iterator = body[Symbol.asyncIterator]();
    expect(String((await iterator.next()).value)).toBe('picture');
    await new Promise((written) => origin.visits[0]?.socket.write('HTTP/1.1 200 OK', written));
    // What arrives after those bytes.
    await download(files, origin.url);
    expect((await iterator.next()).done).toBe(true);
    await origin.allClosed();
    expect(await downloadFor('a', files, origin.url)).toBe('picture');
    expect(origin.connections).toBe(3);
  });

  test('if it was closed right before it would be kept again', async () => {
    await using origin = await startOrigin(silence);
    const [remote, addresses] = [parseUrl(origin.url), [{ address: '127.0.0.1', family: 4 }] as const];
    const connection = new Connection(remote, { addresses, ca: undefined });
    await connection.opened();
    const kept = new KeptConnections();
    kept.keep('a', remote, connection);
    expect(kept.take('a', remote, addresses)).toBe(connection);
    connection.close();
    kept.keep('a', remote, connection);
    expect(kept.take('a', remote, addresses)).toBeUndefined();
  });

  test('once more bytes come after a body that was read late, so that no more was received', async () => {
    const size = 256 * 1024;
    await using origin = await startOrigin(({ socket }) => void socket.write(Buffer.alloc(size)));
    await using other = await startOrigin(giving('picture'));
    const addresses = [{ address: '127.0.0.1', family: 4 }] as const;
    const connection = new Connection(parseUrl(origin.url), { addresses, ca: undefined });
    await connection.opened();
    connection.write('GET / HTTP/1.1\r\n\r\n');
    const { socket } = await origin.nextVisit();
    // Meanwhile the bytes arrive.
    for (let file = 0; file < 5; file += 1) await download(filesFromLoopback(), other.url);
    for (let read = 0; read < size; ) read += (await connection.read())?.length ?? size;
    const noticed = new Promise<void>((resolve) => expect(connection.becomeIdle(resolve)).toBe(true));
    socket.write('HTTP/1.1 200 OK');
    await noticed;
    connection.close();
    await origin.allClosed();
  });

  test.each<[string, Answer]>([
    ['more bytes come', ({ socket }) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged')],
    ['the server ends it', ({ socket }) => void socket.end()],
    ['the server resets it', ({ socket }) => void socket.resetAndDestroy()],
  ])('once %s after the body', async (_, then) => {
    await using origin = await startOrigin(leavingOpen('picture'));
    const files = filesFromLoopback();
    await downloadFor('a', files, origin.url);
    const [first] = origin.visits;
    if (first) then(first);
    await origin.allClosed();
    expect(await downloadFor('a', files, origin.url)).toBe('picture');
    expect(origin.connections).toBe(2);
  });
});

describe('a request over a kept connection', () => {
  const hangUp: Answer = ({ socket }) => void socket.end();
  const reset: Answer = ({ socket }) => void socket.resetAndDestroy();

  test.each([
    ['ends', hangUp],
    ['resets', reset],
  ])('that the server %s without an answer is sent again, over a new one', async (_, close) => {
    await using origin = await startOrigin(inTurn(leavingOpen('first'), close, leavingOpen('second')));
    const files = filesFromLoopback();
    expect(await downloadFor('a', files, origin.url)).toBe('first');
    expect(await downloadFor('a', files, origin.url)).toBe('second');
    expect([origin.connections, origin.visits.length]).toEqual([2, 3]);
  });

  test('is sent again once', async () => {
    await using origin = await startOrigin(inTurn(leavingOpen('first'), hangUp));
    const files = filesFromLoopback();
    await downloadFor('a', files, origin.url);
    const problem = await problemOf(downloadFor('a', files, origin.url));
    const message = 'The connection to 127.0.0.1 was closed before an answer.';
    expect(problem).toEqual({ kind: 'failed', message, mayRecover: true });
    expect(origin.visits.length).toBe(3);
  });

  test.each([
    ['part of a head', saying('HTTP/1.1 200 OK\r\nContent-')],
    ['what is not HTTP', saying('Hello.\r\n\r\n')],
  ])('that is answered with %s is not sent again', async (_, answer) => {
    await using origin = await startOrigin(inTurn(leavingOpen('first'), answer, giving('second')));
    const files = filesFromLoopback();
    await downloadFor('a', files, origin.url);
    expect((await problemOf(downloadFor('a', files, origin.url))).kind).toBe('failed');
    expect(origin.visits.length).toBe(2);
  });

  test('that is redirected reaches the target as any other', async () => {
    await using origin = await startOrigin(inTurn(leavingOpen('first'), redirecting('/next'), leavingOpen('second')));
    const files = filesFromLoopback();
    await downloadFor('a', files, origin.url);
    expect(await downloadFor('a', files, origin.url)).toBe('second');
    expect(origin.visits.map(({ path }) => path)).toEqual(['/', '/', '/next']);
  });

  test('has the same time-out, after which it is not sent again', async () => {
    await using origin = await startOrigin(inTurn(leavingOpen('first'), silence));
    const files = filesFromLoopback({ headTimeout: 200 });
    await downloadFor('a', files, origin.url);
    await expect(downloadFor('a', files, origin.url)).rejects.toThrow('did not answer in time');
    await origin.allClosed();
    expect([origin.connections, origin.visits.length]).toEqual([1, 2]);
  });

  test('ends when its caller aborts it, and is not sent again', async () => {
    await using origin = await startOrigin(inTurn(leavingOpen('first'), silence));
    const files = filesFromLoopback();
    await downloadFor('a', files, origin.url);
    await origin.nextVisit();
    const [controller, reason] = [new AbortController(), new Error('The service is going down.')];
    const opening = files.open(origin.url, { owner: 'a', signal: controller.signal });
    await origin.nextVisit();
    controller.abort(reason);
    expect(await thrownBy(opening)).toBe(reason);
    await origin.allClosed();
    expect([origin.connections, origin.visits.length]).toEqual([1, 2]);
  });

  test('is not ended by the abort of the request before it', async () => {
    await using origin = await startOrigin(leavingOpen('picture'));
    const files = filesFromLoopback();
    const before = new AbortController();
    await download(files, origin.url, before.signal, 'a');
    const file = await files.open(origin.url, { owner: 'a', signal: never() });
    before.abort();
    let text = '';
    for await (const chunk of file.body) text += Buffer.from(chunk).toString();
    expect(text).toBe('picture');
    expect(origin.connections).toBe(1);
  });
});
