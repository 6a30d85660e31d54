import { describe, expect, test } from 'bun:test';
import { download, filesFromLoopback, never, problemOf } from './support/fetching.ts';
import { type Answer, giving, redirecting, saying, startOrigin } from './support/origin.ts';

/** Runs a test with an origin that answers these paths. For any other path it answers 599, which fails the test. */
async function onOrigin<T>(paths: Readonly<Record<string, Answer>>, run: (url: string) => Promise<T>) {
  await using origin = await startOrigin((visit) =>
    (paths[visit.path] ?? saying('HTTP/1.1 599 Unexpected\r\n\r\n'))(visit),
  );
  const result = await run(origin.url);
  await origin.allClosed();
  return { result, asked: origin.visits.map(({ path }) => path) };
}

const get = (paths: Readonly<Record<string, Answer>>, path = '/0') =>
  onOrigin(paths, (url) => download(filesFromLoopback(), `${url}${path}`));

const fail = (paths: Readonly<Record<string, Answer>>, path = '/0') =>
  onOrigin(paths, (url) => problemOf(filesFromLoopback().open(`${url}${path}`, { signal: never() })));

describe('redirects', () => {
  const chain = { '/0': redirecting('/1'), '/1': redirecting('/2'), '/2': redirecting('/3') };

  test('are followed up to three times', async () => {
    const { result, asked } = await get({ ...chain, '/3': giving('picture') });
    expect(result).toBe('picture');
    expect(asked).toEqual(['/0', '/1', '/2', '/3']);
  });

  test('are refused from the fourth on', async () => {
    const { result, asked } = await fail({ ...chain, '/3': redirecting('/4'), '/4': giving('picture') });
    expect(result).toEqual({ kind: 'refused', message: 'The URL redirects more than 3 times.' });
    expect(asked).toEqual(['/0', '/1', '/2', '/3']);
  });

  test('in a circle are refused', async () => {
    const { result, asked } = await fail({ '/0': redirecting('/0') });
    expect(result).toEqual({ kind: 'refused', message: 'The URL redirects more than 3 times.' });
    expect(asked).toHaveLength(4);
  });

  test.each([301, 302, 303, 307, 308])('of status %i are followed', async (status) => {
    const { result } = await get({ '/0': redirecting('/1', status), '/1': giving('picture') });
    expect(result).toBe('picture');
  });

  test.each([300, 304, 305, 306, 399])('of status %i are not followed', async (status) => {
    const { result, asked } = await fail({ '/0': redirecting('/1', status), '/1': giving('picture') });
    const message = `The server at 127.0.0.1 answered ${status}.`;
    expect(result).toEqual({ kind: 'failed', message, mayRecover: false });
    expect(asked).toEqual(['/0']);
  });

  test.each([
    ['/x/y', '/x/y'],
    ['y', '/a/y'],
    ['../y', '/y'],
    ['?y', '/a/b?y'],
    ['#y', '/a/b'],
    ['', '/a/b'],
    ['./y#z', '/a/y'],
    ['/bücher/猫.jpg', '/b%C3%BCcher/%E7%8C%AB.jpg'],
  ])('to %j lead from /a/b to %s', async (location, path) => {
    let visits = 0;
    const { result, asked } = await get(
      {
        '/a/b': (visit) => {
          visits += 1;
          return (visits === 1 ? redirecting(location) : giving('picture'))(visit);
        },
        [path === '/a/b' ? '/never' : path]: giving('picture'),
      },
      '/a/b',
    );
    expect(result).toBe('picture');
    expect(asked).toEqual(['/a/b', path]);
  });

  test('in Latin-1 lead to a path with the same bytes', async () => {
    const answer: Answer = ({ socket }) =>
      socket.end(Buffer.from('HTTP/1.1 302 Found\r\nLocation: /caf\u00e9.jpg\r\nContent-Length: 0\r\n\r\n', 'latin1'));
    const { result } = await get({ '/0': answer, '/caf%E9.jpg': giving('picture') });
    expect(result).toBe('picture');
  });

  test('without a location fail', async () => {
    const { result } = await fail({ '/0': saying('HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n') });
    const message = 'The server at 127.0.0.1 redirects to nowhere.';
    expect(result).toEqual({ kind: 'failed', message, mayRecover: false });
  });

  test.each(['http://', 'http://[', 'http://a b/', 'http://1.2.3.4.5/', '//:80', 'http://127.0.0.1:99999/'])(
    'to the invalid URL %s fail for good',
    async (location) => {
      const { result } = await fail({ '/0': redirecting(location) });
      const message = 'The server at 127.0.0.1 redirects to an invalid URL.';
      expect(result).toEqual({ kind: 'failed', message, mayRecover: false });
    },
  );

  test('are followed to a signed URL of 7,000 characters but not to one of 9,000', async () => {
    const long = `/1?${'s'.repeat(7000)}`;
    expect((await get({ '/0': redirecting(long), [long]: giving('picture') })).result).toBe('picture');
    const { result } = await fail({ '/0': redirecting(`/1?${'s'.repeat(9000)}`) });
    const message = 'The server at 127.0.0.1 redirects to a URL that is too long.';
    expect(result).toEqual({ kind: 'failed', message, mayRecover: false });
  });

  test('leave their bodies unread and end their connections before the next request', async () => {
    const ended = Promise.withResolvers<void>();
    const { result } = await get({
      '/0': ({ socket }) => {
        socket.once('close', () => ended.resolve());
        socket.write('HTTP/1.1 302 Found\r\nLocation: /1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n');
      },
      '/1': (visit) => void ended.promise.then(() => giving('picture')(visit)),
    });
    expect(result).toBe('picture');
  });
});
